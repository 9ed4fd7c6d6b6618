// A foreign web page in a real Chromium, which tries every way that a page has to reach a port of this machine.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
/** The browser's own guard of local addresses is off: ours has to hold alone. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights',
  '--host-resolver-rules=MAP *.test 127.0.0.1',
  '--ignore-certificate-errors',
];

/** As text: it runs in the page. Returns the vectors that could read something. */
const attack = `async ({ bases, path, owner }) => {
  const successes = [];
  let attempts = 0;
  const within = (work) => Promise.race([work, new Promise((_, no) => setTimeout(() => no(new Error('nothing')), 1500))]);
  const attempt = async (name, work) => {
    attempts += 1;
    try { if (await within(work())) successes.push(name); } catch {}
  };
  const loads = (name, source) => new Promise((yes, no) => {
    const element = document.createElement(name);
    element.onload = () => yes(element);
    element.onerror = () => no(new Error('refused'));
    Object.assign(element, source);
    document.body.append(element);
  });
  const body = JSON.stringify({ service: 'sandbox-weather', amount: '0.01', currency: 'USDC' });
  for (const base of bases) {
    const url = base + path + '?owner=' + owner;
    const freeze = base + '/v1/freeze?owner=' + owner;
    await attempt(base + ' fetch', async () => (await (await fetch(url)).text()).length > 0);
    await attempt(base + ' fetch of JSON', async () => {
      const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
      return (await (await fetch(freeze, { method: 'POST', headers, body: '{}' })).text()).length > 0;
    });
    await attempt(base + ' fetch without cors', async () => {
      const answer = await fetch(freeze, { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: '{}' });
      return answer.type !== 'opaque';
    });
    await attempt(base + ' form', async () => {
      const frame = document.createElement('iframe');
      frame.name = 'f' + Math.random();
      document.body.append(frame);
      const form = document.createElement('form');
      Object.assign(form, { action: freeze, method: 'POST', enctype: 'text/plain', target: frame.name });
      const input = document.createElement('input');
      Object.assign(input, { name: body.slice(0, -1) + ',"x":"', value: '"}' });
      form.append(input);
      document.body.append(form);
      form.submit();
      await new Promise((done) => setTimeout(done, 150));
      return frame.contentDocument !== null && frame.contentDocument.URL !== 'about:blank';
    });
    await attempt(base + ' beacon', async () => {
      navigator.sendBeacon(freeze, new Blob(['{}'], { type: 'text/plain' }));
      return false;
    });
    await attempt(base + ' image', () => loads('img', { src: url }));
    await attempt(base + ' script', async () => {
      const before = Object.keys(window).length;
      await loads('script', { src: url });
      return Object.keys(window).length !== before;
    });
    await attempt(base + ' style sheet', async () => (await loads('link', { rel: 'stylesheet', href: url })).sheet.cssRules.length >= 0);
    await attempt(base + ' EventSource', () => new Promise((yes, no) => {
      const source = new EventSource(base + '/v1/events?owner=' + owner);
      source.onopen = yes;
      source.onerror = () => { source.close(); no(new Error('refused')); };
    }));
    await attempt(base + ' WebSocket', () => new Promise((yes, no) => {
      const socket = new WebSocket(base.replace('http', 'ws') + '/v1/events?owner=' + owner);
      socket.onopen = yes;
      socket.onerror = no;
    }));
    await attempt(base + ' frame', async () => {
      const frame = await loads('iframe', { src: url });
      try { return frame.contentDocument.body.textContent.length > 0; } catch { return false; }
    });
    await attempt(base + ' window', async () => {
      const opened = window.open(url);
      await new Promise((done) => setTimeout(done, 150));
      try { return opened.document.body.textContent.length > 0 && opened.location.href !== 'about:blank'; }
      catch { return false; } finally { opened?.close(); }
    });
  }
  return { successes, attempts };
}`;

export interface SiteReport {
  attempts: number;
  successes: string[];
  /** The result of a page that was loaded from our own port under a foreign name: DNS rebinding. */
  rebound: string[];
}

/**
 * @param port of the host; five names for it are tried, each in twelve ways
 * @param publicUrl the host’s other address, tried in the same ways; null where it has none
 */
export const visitHostileSite = async (
  port: number,
  owner: string,
  publicUrl: string | null,
): Promise<SiteReport> => {
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>evil</title><body></body>');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({ executablePath, args: flags });
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://evil.test:${(site.address() as AddressInfo).port}/`);
    const names = ['127.0.0.1', 'localhost', 'evil.test', 'a.evil.test', '[::1]'];
    const bases = [
      ...names.map((name) => `http://${name}:${port}`),
      ...(publicUrl === null ? [] : [publicUrl]),
    ];
    const input = { bases, path: '/v1/dashboard', owner };
    const found = await page.evaluate<{ successes: string[]; attempts: number }>(
      `(${attack})(${JSON.stringify(input)})`,
    );
    const rebound: string[] = [];
    for (const path of ['/', '/v1/health', '/v1/models', '/sandbox/weather?city=x']) {
      const answer = await page.goto(`http://evil.test:${port}${path}`);
      if (answer !== null && answer.status() !== 403) rebound.push(`${path}: ${answer.status()}`);
    }
    return { ...found, rebound };
  } finally {
    await browser.close();
    site.closeAllConnections();
    site.close();
  }
};
