// Toasts: short notifications of completed actions, with undo, and of errors.

import { useEffect, useState } from "preact/hooks";

export interface Toast {
  text: string;
  bad?: boolean;
  undo?: () => void;
}

type Shown = Toast & { id: number };
let shown: Shown[] = [];
let next = 1;
let notify: (() => void) | null = null;

function drop(id: number) {
  shown = shown.filter((toast) => toast.id !== id);
  notify?.();
}

export function toast(message: Toast): void {
  const id = next++;
  shown = [...shown.slice(-3), { ...message, id }];
  notify?.();
  setTimeout(() => drop(id), message.undo ? 12_000 : 5_000);
}

export function Toasts() {
  const [, setVersion] = useState(0);
  useEffect(() => {
    notify = () => setVersion((n) => n + 1);
    return () => {
      notify = null;
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
