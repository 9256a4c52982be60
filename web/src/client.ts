// SPDX-License-Identifier: Apache-2.0
// Requests to the server that the page came from, with the user's token. The token lives in
// sessionStorage: it is gone with the tab, and no other page can read it.

const TOKEN = "dray-token";

export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export const token = {
  get: (): string => sessionStorage.getItem(TOKEN) ?? "",
  set: (text: string): void => sessionStorage.setItem(TOKEN, text),
  clear: (): void => sessionStorage.clear(), // with all else that the tab keeps
};

let ahead = 0; // milliseconds that the server's clock is ahead of the browser's
const CLOCK_MILLISECONDS = 2000; // a difference below is none: answers take time, and their dates have whole seconds

/// The time by the server's clock, which all times of objects are by.
export function serverNow(): number {
  return Date.now() + ahead;
}

/// `date` is the header of an answer that has just come.
export function setClock(date: string | null): void {
  const difference = Date.parse(date ?? "") - Date.now();
  if (!Number.isNaN(difference)) ahead = Math.abs(difference) < CLOCK_MILLISECONDS ? 0 : difference;
}

/// Errors: Refused for an answer of 400 and more, TypeError where no server answers.
export async function request(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("Accept", "application/json");
  if (token.get()) headers.set("Authorization", `Bearer ${token.get()}`);
  const response = await fetch(path, {...options, headers, cache: "no-store", credentials: "same-origin"});
  setClock(response.headers.get("Date"));
  if (response.ok) return response;
  const text = await response.text();
  let message = text.slice(0, 300);
  try {
    message = String((JSON.parse(text) as {message?: string}).message ?? message);
  } catch {
    // not a Status: the text says it
  }
  throw new Refused(response.status, message || `status ${response.status}`);
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, signal ? {signal} : {})).json() as Promise<T>;
}

export async function postJson<T>(path: string, body: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, {method: "POST", headers: {"Content-Type": "application/json"}, body, ...(signal ? {signal} : {})});
  return response.json() as Promise<T>;
}

/// The secret of a link that works once ("#once=SECRET"), taken out of the address, so that it stays in no history.
export function takeOnce(): string {
  const found = /^#once=([^&]+)$/.exec(location.hash);
  if (!found) return "";
  history.replaceState(null, "", "#/");
  return found[1]!;
}

/// Trades the secret for a token. Errors: as request; 401: it was used, or is of another run.
export async function logInOnce(once: string): Promise<void> {
  token.clear();
  const answer = await postJson<{token?: string}>("/ui/login", JSON.stringify({once}));
  token.set(answer.token ?? "");
}

/// The name of the user that the server takes us for. Errors: as request.
export async function whoAmI(): Promise<string> {
  const {status} = await postJson<{status?: {userInfo?: {username?: string}}}>("/apis/authentication.k8s.io/v1/selfsubjectreviews",
    JSON.stringify({apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview"}));
  return status?.userInfo?.username ?? "";
}

/// The lines of an answer that comes bit by bit.
export async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const {value, done} = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n");
      rest = parts.pop()!;
      for (const line of parts) if (line) yield line;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}
