// Short news at the edge: what was done, with a way back, and what failed.

import { useEffect, useState } from "preact/hooks";

export interface Toast {
  text: string;
  bad?: boolean;
  undo?: () => void;
}

type Shown = Toast & { id: number };
let shown: Shown[] = [];
let next = 1;
let tell: (() => void) | null = null;

function drop(id: number) {
  shown = shown.filter((toast) => toast.id !== id);
  tell?.();
}

export function toast(news: Toast): void {
  const id = next++;
  shown = [...shown.slice(-3), { ...news, id }];
  tell?.();
  setTimeout(() => drop(id), news.undo ? 12_000 : 5_000);
}

export function Toasts() {
  const [, turn] = useState(0);
  useEffect(() => {
    tell = () => turn((n) => n + 1);
    return () => {
      tell = null;
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.id} class={toast.bad ? "toast bad" : "toast"}>
          <span>{toast.text}</span>
          {toast.undo && (
            <button type="button" onClick={() => { toast.undo?.(); drop(toast.id); }}>Undo</button>
          )}
          <button type="button" class="plain" aria-label="Dismiss" onClick={() => drop(toast.id)}>×</button>
        </div>
      ))}
    </div>
  );
}
