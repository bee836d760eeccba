import { defineConfig } from "vite";

// The running gametape server to which `npm run dev` proxies API requests.
const server = process.env.GAMETAPE_URL ?? "http://127.0.0.1:7223";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    target: "es2022",
    // File names contain a content hash, so that browsers can cache them forever.
    assetsDir: "assets",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: {
      "/api": { target: server, changeOrigin: true, ws: true, headers: { origin: server } },
      "/openapi.json": server,
    },
  },
  test: { include: ["src/**/*.test.ts", "report/**/*.test.ts", "viewer/**/*.test.ts"], environment: "node" },
} as Parameters<typeof defineConfig>[0]);
