// Saves a plot as a PNG to share, with a title, a legend and a background.

import { colour } from "../app/theme";

export interface Legend { text: string; colour: string; dash: number[] }

export async function savePng(plot: HTMLCanvasElement, title: string, legend: readonly Legend[], name: string): Promise<void> {
  const ratio = devicePixelRatio || 1;
  const head = (34 + 22 * legend.length) * ratio;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [plot.width, plot.height + head];
  const pen = canvas.getContext("2d");
  if (!pen) return;
  pen.fillStyle = colour("panel");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.scale(ratio, ratio);
  pen.textBaseline = "middle";
  pen.fillStyle = colour("text");
  pen.font = "600 15px system-ui, sans-serif";
  pen.fillText(title, 14, 20);
  pen.font = "13px system-ui, sans-serif";
  legend.forEach((entry, n) => {
    const y = 45 + n * 22;
    pen.strokeStyle = entry.colour;
    pen.lineWidth = 2.5;
    pen.setLineDash(entry.dash);
    pen.beginPath();
    pen.moveTo(14, y);
    pen.lineTo(44, y);
    pen.stroke();
    pen.fillText(entry.text, 52, y);
  });
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.drawImage(plot, 0, head);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (!blob) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
