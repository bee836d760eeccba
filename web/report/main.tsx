// The page of `gametape export --to html`: a single self-contained file for one tape. It makes no network requests.

import { render } from "preact";
import "../src/app/theme";
import "../src/style/base.css";
import "../src/style/shell.css";
import "../src/style/tables.css";
import "../src/style/live.css";
import "../src/style/pages.css";
import "./report.css";
import { type Report, readReport } from "./data";
import { Page } from "./page";

function Broken({ text }: { text: string }) {
  return <div class="problem" role="alert"><h2>Cannot show this report</h2><p>{text}</p></div>;
}

/** Returns the page, or the reason why the report cannot be shown. */
function start() {
  if (typeof DecompressionStream === "undefined") return <Broken text="This browser is too old. Use a version from 2023 or later." />;
  let report: Report;
  try {
    report = readReport(document.getElementById("data")?.textContent ?? "");
  } catch {
    return <Broken text="The file is incomplete. Export it again with gametape export --to html." />;
  }
  return <Page report={report} />;
}

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(start(), root);
}
