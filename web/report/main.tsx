// The page of `gametape export --to html`: one tape, all in this file. Nothing is asked of anybody.

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
  return <div class="problem" role="alert"><h2>This report cannot be shown</h2><p>{text}</p></div>;
}

/** What to show, or why not. */
function start() {
  if (typeof DecompressionStream === "undefined") return <Broken text="This browser is too old for it: use one of 2023 or newer." />;
  let report: Report;
  try {
    report = readReport(document.getElementById("data")?.textContent ?? "");
  } catch {
    return <Broken text="The file is not whole. Write it again with gametape export --to html." />;
  }
  return <Page report={report} />;
}

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(start(), root);
}
