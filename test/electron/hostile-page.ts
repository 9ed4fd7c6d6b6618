// Attempts of a page that was taken over, from inside. The function runs in the page: it can use nothing from outside
// its own body.
import type { Page } from 'playwright-core';

export interface Loot {
  /** Each attempt that succeeded. */
  successes: string[];
  /** Directives of the policy that were reported as violated. */
  violations: string[];
  /** How many attempts there were. */
  attempts: number;
}

/** As text, since it does not run in this process and uses a page's globals. */
const attack = `async ({ port, expected }) => {
  const violations = [];
  document.addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective));
  const successes = [];
  let attempts = 0;
  const within = (work) => Promise.race([
    work,
    new Promise((_, reject) => setTimeout(() => reject(new Error('nothing came')), 1500)),
  ]);
  const attempt = async (name, work) => {
    attempts += 1;
    try {
      if ((await within(Promise.resolve().then(work))) !== false) successes.push(name);
    } catch {}
  };
  // Outside the debugger's evaluation, which a page's policy does not bind.
  const later = (work) => new Promise((resolve, reject) => setTimeout(() => {
    try { resolve(work()); } catch (error) { reject(error); }
  }));
  const loads = (element, source) => new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => reject(new Error('refused'));
    Object.assign(element, source);
    document.body.append(element);
  });
  const make = (name) => document.createElement(name);

  await attempt('require', () => typeof require !== 'undefined');
  await attempt('process', () => typeof process !== 'undefined');
  await attempt('module', () => typeof module !== 'undefined');
  await attempt('fetch loopback', () => fetch('http://127.0.0.1:' + port + '/v1/health', { mode: 'no-cors' }));
  await attempt('fetch https', () => fetch('https://example.com/', { mode: 'no-cors' }));
  await attempt('XMLHttpRequest', () => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.onload = resolve;
    request.onerror = reject;
    request.open('GET', 'http://127.0.0.1:' + port + '/');
    request.send();
  }));
  await attempt('WebSocket', () => new Promise((resolve, reject) => {
    const socket = new WebSocket('ws://127.0.0.1:' + port + '/');
    socket.onopen = resolve;
    socket.onerror = reject;
  }));
  await attempt('EventSource', () => new Promise((resolve, reject) => {
    const source = new EventSource('http://127.0.0.1:' + port + '/');
    source.onopen = resolve;
    source.onerror = () => { source.close(); reject(new Error('refused')); };
  }));
  await attempt('window.open', () => window.open('https://example.com/') !== null);
  // A refused frame is there, empty, and is reported as refused.
  let isFramed = false;
  await attempt('iframe', async () => {
    const before = window.length;
    await loads(make('iframe'), { src: 'https://example.com/' });
    isFramed = window.length > before;
    return false;
  });
  await attempt('eval', () => later(() => eval('1') === 1));
  await attempt('new Function', () => later(() => new Function('return 1')() === 1));
  await attempt('inline script', () => later(() => {
    const script = make('script');
    script.textContent = 'window.taken = true';
    document.body.append(script);
    return window.taken === true;
  }));
  await attempt('foreign script', () => loads(make('script'), { src: 'https://example.com/x.js' }));
  await attempt('data script', () => loads(make('script'), { src: 'data:text/javascript,window.taken=true' }));
  await attempt('foreign image', () => loads(make('img'), { src: 'http://127.0.0.1:' + port + '/x.png' }));
  await attempt('object', () => loads(make('object'), { data: 'https://example.com/' }));
  await attempt('worker from a blob', () => new Promise((resolve, reject) => {
    const worker = new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])));
    worker.onmessage = resolve;
    worker.onerror = reject;
  }));
  await attempt('service worker', () => navigator.serviceWorker.register('/sw.js'));
  await attempt('form', () => later(() => {
    const form = make('form');
    form.action = 'https://example.com/';
    document.body.append(form);
    form.submit();
    return false;
  }));
  await attempt('style without the nonce', () => later(() => {
    const style = make('style');
    style.textContent = '#probe { position: fixed; top: 123px }';
    const probe = make('div');
    probe.id = 'probe';
    document.body.append(style, probe);
    return getComputedStyle(probe).top === '123px';
  }));
  await attempt('base', () => later(() => {
    const base = make('base');
    base.href = 'https://example.com/';
    document.head.append(base);
    return document.baseURI.startsWith('https://example.com');
  }));
  await attempt('sendBeacon', () => navigator.sendBeacon('http://127.0.0.1:' + port + '/') && violations.length === 0);
  // The browser reports some of what it refused after it has gone on.
  for (let waited = 0; waited < 100 && !expected.every((name) => violations.includes(name)); waited += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  if (isFramed && !violations.includes('frame-src')) successes.push('iframe');
  return { successes, violations: [...new Set(violations)], attempts };
}`;

/** The directives that the attempts of any page must be reported to violate. */
export const expectedViolations = [
  'connect-src',
  'frame-src',
  'script-src',
  'script-src-elem',
  'img-src',
  'object-src',
  'form-action',
  'base-uri',
  'style-src-elem',
];

/** @param port of a server on the loopback that would answer */
export const attackFrom = (page: Page, port: number): Promise<Loot> =>
  page.evaluate(`(${attack})(${JSON.stringify({ port, expected: expectedViolations })})`);

/** The permissions of Electron's list that a page can ask the state of. */
export const permissions = [
  'geolocation',
  'camera',
  'microphone',
  'notifications',
  'midi',
  'clipboard-read',
  'clipboard-write',
  'persistent-storage',
  'screen-wake-lock',
  'idle-detection',
  'local-fonts',
  'window-management',
] as const;

/** The permissions that are not denied. */
export const permissionsOf = (page: Page): Promise<string[]> =>
  page.evaluate(`(async (names) => {
    const states = await Promise.all(names.map(async (name) => {
      const state = await navigator.permissions.query({ name }).then((it) => it.state, () => 'denied');
      return [name, state];
    }));
    return states.filter(([, state]) => state !== 'denied').map(([name]) => name);
  })(${JSON.stringify(permissions)})`);
