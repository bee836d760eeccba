// The viewer: opens tapes in the browser, without a server. Tapes of the URL (`?tape=URL`, more than once for several) are opened at once.

import { render } from "preact";
import "../src/app/theme";
import "../src/style/base.css";
import "../src/style/shell.css";
import "../src/style/tables.css";
import "../src/style/live.css";
import "../src/style/pages.css";
import "../report/report.css";
import "./viewer.css";
import { App } from "./app";

const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  const isOld = typeof DecompressionStream === "undefined" || typeof BigUint64Array === "undefined";
  render(isOld ? <div class="problem" role="alert"><h1>This browser is too old</h1><p>Use a version from 2023 or later.</p></div> : <App />, root);
}
