// Which page shows. Pages with plots come when they are needed.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ComponentType } from "preact";
import { Empty } from "./app/problem";
import { takeLinks, usePlace } from "./app/router";
import { Shell } from "./app/shell";
import "./app/theme";
import { feed } from "./live/feed";
import { LivePage } from "./pages/live/page";
import "./style/figures.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/tables.css";
import "./style/live.css";
import "./style/pages.css";

function later(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | null = null;
  return function Later() {
    const [Page, setPage] = useState<ComponentType | null>(() => loaded);
    useEffect(() => {
      if (!loaded) void load().then((page) => { loaded = page; setPage(() => page); });
    }, []);
    return Page ? <Page /> : <p class="loading" role="status">Loading…</p>;
  };
}

const Sessions = later(async () => (await import("./pages/sessions")).SessionsPage);
const Session = later(async () => (await import("./pages/session/page")).SessionPage);
const Compare = later(async () => (await import("./pages/compare/page")).ComparePage);
const Progress = later(async () => (await import("./pages/progress")).ProgressPage);
const Tapes = later(async () => (await import("./pages/tapes")).TapesPage);
const OneTape = later(async () => (await import("./pages/tape/page")).TapePage);
const Overlay = later(async () => (await import("./overlay/page")).OverlayPage);

function App() {
  const { path } = usePlace();
  const part = path.split("/")[1] ?? "";
  useEffect(() => {
    const name = part ? `${part.charAt(0).toUpperCase()}${part.slice(1)} · gametape` : "gametape";
    document.title = name;
  }, [part]);
  if (part === "overlay") return <Overlay />;
  return <Shell>{page(part, path)}</Shell>;
}

function page(part: string, path: string) {
  if (part === "" || part === "live") return <LivePage />;
  if (part === "sessions") return path.split("/")[2] ? <Session key={path} /> : <Sessions />;
  if (part === "compare") return <Compare />;
  if (part === "progress") return <Progress />;
  if (part === "tapes") return path.split("/")[2] ? <OneTape key={path} /> : <Tapes />;
  return <Empty title="There is no such page"><p><a href="/">To the live view</a></p></Empty>;
}

takeLinks();
feed.connect();
const root = document.getElementById("app");
if (root) render(<App />, root);
