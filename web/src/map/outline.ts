// Maps a track outline in metres to pixels: rotated by 90° if that fills the picture better, with the same scale on both axes.

export type Point = readonly [number, number];

export interface Fitted {
  /** Maps metres to pixels. */
  at: (x: number, z: number) => Point;
  path: string;
}

/** Fits points into a picture. Returns null if fewer than two points are finite. */
export function fit(points: readonly Point[], width: number, height: number, margin: number): Fitted | null {
  const good = points.filter(([x, z]) => Number.isFinite(x) && Number.isFinite(z));
  if (good.length < 2) return null;
  const upright = extent(good, false);
  const turned = extent(good, true);
  const room: Point = [width - 2 * margin, height - 2 * margin];
  const scaleOf = (box: Extent) => Math.min(room[0] / Math.max(box.w, 1), room[1] / Math.max(box.h, 1));
  const turn = scaleOf(turned) > scaleOf(upright) * 1.05;
  const box = turn ? turned : upright;
  const scale = scaleOf(box);
  const left = (width - box.w * scale) / 2;
  const top = (height - box.h * scale) / 2;
  const at = (x: number, z: number): Point => {
    const [u, v] = turn ? [z, -x] : [x, z];
    return [left + (u - box.x) * scale, top + (v - box.y) * scale];
  };
  return { at, path: pathOf(good.map(([x, z]) => at(x, z))) };
}

interface Extent { x: number; y: number; w: number; h: number }

function extent(points: readonly Point[], turn: boolean): Extent {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, z] of points) {
    const [u, v] = turn ? [z, -x] : [x, z];
    [x0, x1] = [Math.min(x0, u), Math.max(x1, u)];
    [y0, y1] = [Math.min(y0, v), Math.max(y1, v)];
  }
  return { x: x0, y: y0, w: x1 - x0, h: y1 - y0 };
}

export function pathOf(points: readonly Point[]): string {
  return points.map(([x, y], n) => `${n ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** Returns the point at a lap fraction. The outline is closed: the last point connects to the first. */
export function pointAt(points: readonly Point[], share: number): Point | null {
  if (points.length < 2) return null;
  const position = (((share % 1) + 1) % 1) * points.length;
  const n = Math.min(Math.floor(position), points.length - 1);
  const a = points[n] as Point;
  const b = points[(n + 1) % points.length] as Point;
  const t = position - n;
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
}

/** Returns SVG paths of short lines across the track: the start line first, then the sector lines. */
export function marks(points: readonly Point[], ends: readonly (number | null)[], at: (x: number, z: number) => Point): string[] {
  return [0, ...ends.filter((end): end is number => end !== null && end > 0.001 && end < 0.999)].flatMap((share) => {
    const a = pointAt(points, share);
    const b = pointAt(points, share + 0.004);
    if (!a || !b) return [];
    const [p, q] = [at(a[0], a[1]), at(b[0], b[1])];
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
    const [nx, ny] = [(-(q[1] - p[1]) / length) * 9, ((q[0] - p[0]) / length) * 9];
    return [pathOf([[p[0] - nx, p[1] - ny], [p[0] + nx, p[1] + ny]])];
  });
}
