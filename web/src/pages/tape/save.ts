// Saves an answer of the server as a file. The browser does it by itself, unless a token is needed: a link cannot carry one.

import { ApiError, type Params, address, answerOf, token } from "../../api/client";
import { toast } from "../../app/toasts";

export async function save(path: string, params: Params, name: string): Promise<void> {
  if (!token.get()) return click(address(path, params), name);
  try {
    const answer = await answerOf(path, params);
    const url = URL.createObjectURL(await answer.blob());
    click(url, name);
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    toast({ text: error instanceof ApiError ? error.message : String(error), bad: true });
  }
}

function click(url: string, name: string) {
  const link = document.createElement("a");
  [link.href, link.download] = [url, name];
  link.click();
}
