// Completes dist/viewer/index.html: the licences of the third-party code in the page.
import { readFileSync, writeFileSync } from "node:fs";

const licences = readFileSync("dist/licences.txt", "utf8").split(`\n\n${"-".repeat(72)}\n\n`).filter((text) => /^(preact|uplot) /.test(text));
const page = readFileSync("dist/viewer/index.html", "utf8");
const MARK = "@@LICENCES@@";
if (!page.includes(MARK) || licences.length !== 2) throw new Error("dist/viewer/index.html or dist/licences.txt is not what this script expects");
writeFileSync("dist/viewer/index.html", page.replace(MARK, () => licences.join("\n\n").replaceAll("&", "&amp;").replaceAll("<", "&lt;")));
