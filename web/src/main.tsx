// The entry point: maps the URL to a page. All pages except the live view are loaded on demand.

import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ComponentType } from "preact";
import { Empty } from "./app/problem";
import { interceptLinks, useRoute } from "./app/router";
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

function lazy(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | null = null;
  return function Lazy() {
    const [Page, setPage] = useState<ComponentType | null>(() => loaded);
    useEffect(() => {
      if (!loaded) void load().then((page) => { loaded = page; setPage(() => page); });
    }, []);
    return Page ? <Page /> : <p class="loading" role="status">Loading…</p>;
  };
}

const Sessions = lazy(async () => (await import("./pages/sessions")).SessionsPage);
const Session = lazy(async () => (await import("./pages/session/page")).SessionPage);
const Compare = lazy(async () => (await import("./pages/compare/page")).ComparePage);
const Progress = lazy(async () => (await import("./pages/progress")).ProgressPage);
const Matches = lazy(async () => (await import("./pages/matches")).MatchesPage);
const OneMatch = lazy(async () => (await import("./pages/match/page")).MatchPage);
const Tapes = lazy(async () => (await import("./pages/tapes")).TapesPage);
const OneTape = lazy(async () => (await import("./pages/tape/page")).TapePage);
const Overlay = lazy(async () => (await import("./overlay/page")).OverlayPage);

function App() {
  const { path } = useRoute();
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
  if (part === "matches") return path.split("/")[2] ? <OneMatch key={path} /> : <Matches />;
  if (part === "tapes") return path.split("/")[2] ? <OneTape key={path} /> : <Tapes />;
  return <Empty title="Page not found"><p><a href="/">Go to the live view</a></p></Empty>;
}

interceptLinks();
feed.connect();
const root = document.getElementById("app");
if (root) render(<App />, root);
