// Writes a .gz next to every file in dist/ that shrinks by more than 5 %. The binary embeds both versions.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { constants, gzipSync } from "node:zlib";

const folder = process.argv[2] ?? "dist";
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || entry.name.endsWith(".gz") || entry.name === "report-template.html") continue;
  const path = join(entry.parentPath ?? entry.path, entry.name);
  const bytes = readFileSync(path);
  const packed = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
  if (packed.length < bytes.length * 0.95) writeFileSync(`${path}.gz`, packed);
}
