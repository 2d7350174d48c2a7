// Keeps the page without a server for use without a network: all its files are stored at the first visit to a site.
const PREFIX = `cubesolve ${registration.scope} `, CACHE = PREFIX + DIGEST;

addEventListener("install", (event) => event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["./", ...FILES]))));

addEventListener("activate", (event) => {
  const isOld = (name) => name.startsWith(PREFIX) && name !== CACHE;
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter(isOld).map((name) => caches.delete(name)))));
});

/** Return the stored answer to a request that the network did not answer. */
async function stored(request, error) {
  const cache = await caches.open(CACHE), found = await cache.match(request, { ignoreSearch: true });
  if (found) return found;
  throw error;
}

// The network comes first: another server may have taken the address.
addEventListener("fetch", (event) =>
  event.respondWith(fetch(event.request).catch((error) => stored(event.request, error))));
