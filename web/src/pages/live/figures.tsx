// Parts of the live view that change for every picture: text that is written by hand, and facts that change now and then.

import { useRef, useState } from "preact/hooks";
import { type Frame, useFrame } from "../../live/frame";
import { UNKNOWN } from "../../words/format";

/** A text that is written anew only when it is another. */
export function Figure({ of, class: name, tone, label }: {
  of: (frame: Frame) => string; class?: string; tone?: (frame: Frame) => string; label?: string;
}) {
  const place = useRef<HTMLSpanElement>(null);
  useFrame((frame) => {
    const element = place.current;
    if (!element) return;
    const text = frame ? of(frame) : UNKNOWN;
    if (element.textContent !== text) element.textContent = text;
    const wanted = `num ${name ?? ""} ${frame && tone ? tone(frame) : ""}`.trim();
    if (element.className !== wanted) element.className = wanted;
  });
  return <span ref={place} class={`num ${name ?? ""}`} data-figure={label}>{UNKNOWN}</span>;
}

/** A fact of the car that changes seldom; the component renders only then. */
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

/** Sets a property of an element for every picture. */
export function useDrawn<E extends Element>(draw: (element: E, frame: Frame | null, now: number) => void) {
  const place = useRef<E>(null);
  useFrame((frame, now) => place.current && draw(place.current, frame, now));
  return place;
}
