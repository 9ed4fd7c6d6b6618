// Preloaded into a process of a test, which then lives LATER_MS milliseconds ahead of this machine's clock.
const aheadMs = Number(process.env['LATER_MS'] ?? 0);
const RealDate = Date;
const now = () => RealDate.now() + aheadMs;

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [now()] : given));
  }
  static now() {
    return now();
  }
};
