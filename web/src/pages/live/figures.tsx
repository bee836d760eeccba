// Building blocks of the live view: text updated on every animation frame without rendering, and values that render only when they change.

import { useRef, useState } from "preact/hooks";
import { type Frame, useFrame } from "../../live/frame";
import { UNKNOWN } from "../../words/format";

/** A text computed on every animation frame. Touches the DOM only when the text changes. */
export function Figure({ of, class: name, tone, label }: {
  of: (frame: Frame) => string; class?: string; tone?: (frame: Frame) => string; label?: string;
}) {
  const span = useRef<HTMLSpanElement>(null);
  useFrame((frame) => {
    const element = span.current;
    if (!element) return;
    const text = frame ? of(frame) : UNKNOWN;
    if (element.textContent !== text) element.textContent = text;
    const wanted = `num ${name ?? ""} ${frame && tone ? tone(frame) : ""}`.trim();
    if (element.className !== wanted) element.className = wanted;
  });
  return <span ref={span} class={`num ${name ?? ""}`} data-figure={label}>{UNKNOWN}</span>;
}

/** Returns a value of the car that changes rarely. The component renders only when the value changes. */
export function useFact<T>(of: (frame: Frame | null) => T): T {
  const [fact, setFact] = useState<T>(() => of(null));
  const text = useRef("");
  useFrame((frame) => {
    const now = of(frame);
    const key = JSON.stringify(now) ?? "";
    if (key === text.current) return;
    text.current = key;
    setFact(() => now);
  });
  return fact;
}

/** Calls `draw` with an element on every animation frame. Returns the ref for that element. */
export function useDrawn<E extends Element>(draw: (element: E, frame: Frame | null, now: number) => void) {
  const element = useRef<E>(null);
  useFrame((frame, now) => element.current && draw(element.current, frame, now));
  return element;
}
