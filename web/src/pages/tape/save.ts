// Saves a response as a file. The browser downloads it directly, unless a token is required: a link cannot send an `Authorization` header.

import { ApiError, type Params, apiUrl, fetchResponse, token } from "../../api/client";
import { toast } from "../../app/toasts";

export async function save(path: string, params: Params, name: string): Promise<void> {
  if (!token.get()) return click(apiUrl(path, params), name);
  try {
    const answer = await fetchResponse(path, params);
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
