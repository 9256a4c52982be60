// SPDX-License-Identifier: Apache-2.0
// The page from a folder instead of from the program (run.py --fresh).

const TYPES = {html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml", txt: "text/plain"};

/// Answers requests for the page's files at `url` with those of `folder`, under the policy that the program sets.
export async function usePage(context, folder, url = "") {
  const isFile = (address) => (!url || address.origin === url) && /^\/ui\/[\w.-]*$/.test(address.pathname) && address.pathname !== "/ui/login";
  await context.route(isFile, async (route) => {
    const name = new URL(route.request().url()).pathname.slice(4) || "index.html";
    await route.fulfill({path: `${folder}/${name}`, contentType: `${TYPES[name.split(".").pop()]}; charset=utf-8`, headers: {"Content-Security-Policy": "default-src 'self'"}});
  });
}
