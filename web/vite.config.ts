import { defineConfig } from "vite";

// `npm run dev` shows the sources against a server that runs beside it.
const server = process.env.GAMETAPE_URL ?? "http://127.0.0.1:7223";

export default defineConfig({
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    target: "es2022",
    // Names carry a hash of the content: they are kept for ever by browsers.
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
  test: { include: ["src/**/*.test.ts", "report/**/*.test.ts"], environment: "node" },
} as Parameters<typeof defineConfig>[0]);
