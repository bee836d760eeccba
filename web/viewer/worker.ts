// The worker of a tape: reads its bytes synchronously, through a page cache, and answers the page's requests one after the other.

import { Library } from "./library";
import { PageCache } from "./pages";
import { problem, problemOf } from "./problem";
import type { Ask, Reply, Request } from "./protocol";
import { FileBytes, type Place, UrlBytes, findUrl } from "./source";
import { type Described, document, overviewLines, usual } from "./stages";
import { readField } from "./field_read";

const MODULE = new URL("../gametape.wasm", self.location.href).href;

/** `any` is a channel of the tape: without the name of one, a part of the tape would come with all its channels. */
interface Opened { library: Library; name: string; any: string | null }
let opened: Opened | null = null;

self.onmessage = ({ data }: MessageEvent<Request>) => { queue = queue.then(() => answer(data)); };
let queue: Promise<void> = Promise.resolve();

const send = (reply: Reply): void => (self as unknown as { postMessage(reply: Reply): void }).postMessage(reply);

async function answer({ id, ask }: Request): Promise<void> {
  let said = 0;
  // A message for each percent at most.
  const onPart = (part: number) => { if (part - said >= 0.01) { said = part; send({ id, part }); } };
  try {
    send({ id, value: await act(ask, onPart) });
  } catch (error) {
    send({ id, problem: problemOf(error) });
  }
}

async function act(ask: Ask, onPart: (part: number) => void): Promise<unknown> {
  if (ask.what === "open") {
    const module = await load();
    const bytes = await bytesOf(ask.place);
    if (bytes.size === 0) throw problem("not-a-tape", `${ask.name} is empty.`, "Choose a .gtape file.");
    const library = new Library(module);
    library.open(new PageCache(bytes));
    const [first] = usual((JSON.parse(library.describe()) as Described).streams);
    const name = (bytes instanceof UrlBytes ? bytes.found.name : null) ?? ask.name;
    opened = { library, name, any: first ? `${first.stream.name}/${first.name}` : null };
    return { bytes: bytes.size, name };
  }
  if (!opened) throw problem("stopped", "No tape is open.", "");
  const { library, name, any } = opened;
  switch (ask.what) {
    case "overview": {
      const described = JSON.parse(library.describe()) as Described;
      return {
        document: document(described, JSON.parse(library.events()), name), lines: overviewLines(described, (...of) => library.overview(...of)),
        streams: described.streams.map((stream) => stream.name), damage: described.problems.map((one) => one.text),
      };
    }
    case "laps": {
      const { value, damage } = library.laps(onPart);
      return { text: value, damage: damage === null ? [] : [damage] };
    }
    case "report": {
      const { value, damage } = library.report(name, onPart);
      return { text: value, damage: damage === null ? [] : [damage] };
    }
    case "range": {
      const names = ask.names.length > 0 ? ask.names : any === null ? [] : [any];
      return JSON.parse(library.lines(names, ask.from_ns, ask.to_ns).value);
    }
    case "field":
      return readField(library, ask.game, onPart);
  }
}

async function bytesOf(place: Place): Promise<FileBytes | UrlBytes> {
  return place.kind === "file" ? new FileBytes(place.file) : new UrlBytes(place.url, await findUrl(place.url));
}

async function load(): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === "undefined") {
    throw problem("no-wasm", "This browser has no WebAssembly, or it is switched off.", "Use another browser, or switch it on (in a protected mode of the browser, for this page).");
  }
  const answer = await fetch(MODULE).catch(() => null);
  if (!answer?.ok) {
    throw problem("no-wasm", `This copy of the viewer has no gametape.wasm (${answer ? `status ${answer.status}` : "no answer"}).`,
      "It was built without the target wasm32-unknown-unknown. Install it (rustup target add wasm32-unknown-unknown) and build the viewer again with scripts/site.");
  }
  try {
    return await WebAssembly.compile(await answer.arrayBuffer());
  } catch (error) {
    throw problem("no-wasm", `The browser does not run gametape.wasm (${error instanceof Error ? error.message : String(error)}).`,
      "If the page comes from your own server: its header Content-Security-Policy must allow 'wasm-unsafe-eval', and gametape.wasm must be complete.");
  }
}
