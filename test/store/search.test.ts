// Queries as people type them, and the results that they expect.
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service, Store } from '../../server/engine/ports.ts';
import { fill } from '../lab/bench/parts/search.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';
import { openStore } from '../harness/engine/store.ts';
import { tries } from '../harness/tries.ts';

const folder = temporaryFolder();
const stores: Store[] = [];
const newStore = (): Store => {
  const store = openStore(join(folder, `${stores.length}.db`));
  stores.push(store);
  return store;
};
afterAll(() => {
  for (const store of stores) store.close();
  removeFolder(folder);
});

/** By category: the entries' names, and their descriptions. */
const subjects = `
weather: Forecast, Climate Archive, Storm Alerts, Current Conditions: Temperature, rain and wind for any city
image generation: Picture Maker, Image Studio, Art Diffusion, Logo Painter: Makes a picture from a text prompt
stock prices: Equity Quotes, Stock Prices, Market Candles, Dividend Calendar: Prices of shares on the world's exchanges
web search: Web Search, News Finder, Answer Engine, Site Index: Results of the web with snippets
scraping: Page Scraper, HTML Crawler, Headless Browser, Structured Extractor: Fetches pages and extracts their content
speech to text: Transcriber, Meeting Transcription, Subtitle Maker, Voice Notes: Turns recordings into text
text to speech: Narrator, Voice Cloning, Audiobook Reader, Speech Synthesis: Reads text aloud in many voices
translation: Translator, Document Translation, Subtitle Translation, Glossary: From any language into another
maps: Geocoder, Route Planner, Tile Server, Places: Addresses, coordinates and directions
email validation: Email Verifier, Inbox Checker, Bounce Predictor, Mailbox Probe: Says whether an address can receive mail
blockchain data: Token Balances, Transaction Explorer, NFT Metadata, Gas Oracle: What happened on chain
sports: Football Scores, Cricket Fixtures, Basketball Statistics, Odds Feed: Matches, leagues and players
news: Headlines, Press Archive, Media Monitor, Topic Digest: Articles of newspapers everywhere
language models: Chat Completion, Text Inference, Prompt Router, Embeddings: Large language models behind one endpoint
pdf: PDF Converter, PDF Merger, Form Filler, Document Signer: Makes and changes documents
ocr: Receipt Scanner, Text Recognition, Handwriting Reader, Passport Reader: Text from photographs of paper
currency: Exchange Rates, Currency Converter, Crypto Ticker, Historical Forex: Conversion between currencies
flights: Flight Status, Airport Boards, Fare Search, Airline Schedules: Departures and arrivals
hotels: Room Search, Hotel Reviews, Booking Engine, Nightly Rates: Places to stay
recipes: Recipe Finder, Nutrition Facts, Meal Planner, Wine Pairing: What to cook and what is in it
music: Lyrics, Song Recognition, Chord Finder, Playlist Maker: Songs and who sings them
video: Video Transcoder, Thumbnail Maker, Clip Cutter, Caption Burner: Works on films
companies: Company Registry, Beneficial Owners, Credit Reports, Filings: Who owns what
jobs: Job Board, Salary Estimates, Resume Parser, Skill Taxonomy: Vacancies and those who fill them
real estate: Property Listings, House Prices, Rental Estimates, Land Registry: Houses and flats
vehicles: Number Plates, Vehicle History, Charging Stations, Fuel Prices: Cars and what they need
parcels: Parcel Tracking, Postage Rates, Label Printer, Address Autocomplete: Where a shipment is
phone numbers: Carrier Lookup, SMS Gateway, Phone Verifier, Caller Names: Who is behind a number
faces: Face Detection, Age Estimator, Background Remover, Photo Enhancer: Looks at photographs of people
moderation: Toxicity Filter, Image Moderation, Spam Filter, Sentiment: Finds what should not be published
domains: WHOIS, DNS Records, Certificate Watch, Domain Availability: Names on the internet
security: Malware Scanner, Breached Passwords, IP Reputation, Vulnerability Feed: Threats and who makes them
science: Paper Search, Protein Structures, Chemical Properties, Star Catalog: Research and its results
satellites: Satellite Imagery, Elevation, Crop Health, Wildfire Map: The Earth from above
air: Air Quality, Pollen Count, Noise Levels, Radiation: What is in the air
earth: Earthquakes, Tide Tables, River Levels, Avalanche Bulletin: Natural hazards
patents: Patent Search, Trademark Watch, Citation Graph, Prior Art: Inventions and their papers
law: Case Law, Statutes, Contract Review, Sanctions Screening: Courts and what they say
tax: VAT Rates, Invoice Maker, Receipt Ledger, Payroll: Taxes and accounts
time: Public Holidays, Time Zones, Moon Phases, Sunrise: Calendars and clocks
code: Code Runner, Linter, Screenshot Taker, QR Codes: Tools for programmers
identity: Identity Check, Age Gate, Signature Verifier, Credential Issuer: Knows its customers
games: Chess Engine, Dice, Trivia Questions, Leaderboards: For players
books: ISBN Lookup, Book Summaries, Library Loans, Quotations: What to read
health: Drug Interactions, Symptom Checker, Clinical Trials, Food Allergens: Medicine, not advice`;

const slug = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const service = (name: string, more: Partial<Service> = {}): Service => ({
  id: slug(name),
  name,
  description: '',
  category: '',
  source: 'x402-marketplace',
  endpoint: 'GET /v1/query',
  origin: `https://${slug(name)}.example`,
  payees: ['payee'],
  pricing: {},
  price: '0.01',
  vouched: false,
  ...more,
});

const catalog: Service[] = [
  ...subjects
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [category = '', names = '', description = ''] = line.split(': ');
      return names.split(', ').map((name) => service(name, { category, description }));
    }),
  service('OpenWeatherMap', { category: 'weather', description: 'Global forecasts by coordinates' }),
  service('FLUX.1 [pro]', {
    category: 'image',
    source: 'model-registry',
    description: 'Image generation by Black Forest Labs',
  }),
  service('GPT Image 2', {
    category: 'image',
    source: 'model-registry',
    description: 'Image generation by OpenAI',
  }),
  service('Météo Océan', { category: 'weather', description: 'Vagues, marées et vent' }),
  service('Été', { id: 'summer', category: 'season', description: 'Ferien' }),
  service('ПОГОДА', { id: 'pogoda', category: 'weather', description: 'Прогноз погоды по городам' }),
  service('天気予報', { id: 'tenki', category: 'weather', description: '日本の天気予報' }),
  service('Größenrechner', { id: 'groesse', category: 'tools', description: 'Kleidergrößen' }),
  service('Sandbox Weather', {
    category: 'weather',
    source: 'svc-native',
    description: 'A demo API of the sandbox',
    id: 'sandbox-weather',
  }),
  service('100% Organic_Foods', { id: 'organic', category: 'shop', description: 'Groceries' }),
];

/** The query, the expected entry, and the number of first results that must hold it. */
const expectations: [typed: string, meant: string, within?: number][] = [
  // Whole names and ids.
  ['OpenWeatherMap', 'openweathermap'],
  ['openweathermap', 'openweathermap'],
  ['sandbox-weather', 'sandbox-weather'],
  ['chat completion', 'chat-completion'],
  ['whois', 'whois'],
  ['flux.1 [pro]', 'flux-1-pro-'],
  ['Stock Prices', 'stock-prices'],
  ['qr codes', 'qr-codes'],
  // While it is typed.
  ['weath', 'sandbox-weather', 3],
  ['forec', 'forecast'],
  ['geoc', 'geocoder'],
  ['transcr', 'transcriber', 3],
  ['transl', 'translator', 3],
  ['curr', 'currency-converter', 3],
  ['malw', 'malware-scanner'],
  ['earthq', 'earthquakes'],
  ['pol', 'pollen-count'],
  ['satellite im', 'satellite-imagery'],
  ['air q', 'air-quality'],
  ['gpt', 'gpt-image-2'],
  ['ch', 'chat-completion', 10],
  // A letter missing, doubled, wrong, swapped.
  ['wheather', 'sandbox-weather', 3],
  ['weahter', 'sandbox-weather', 3],
  ['wether', 'sandbox-weather', 3],
  ['weatther', 'sandbox-weather', 3],
  ['westher', 'sandbox-weather', 3],
  ['eather', 'sandbox-weather', 3],
  ['imgae generaton', 'gpt-image-2', 10],
  ['imgae studio', 'image-studio'],
  ['trasncription', 'meeting-transcription'],
  ['tranlsator', 'translator', 3],
  ['geocodr', 'geocoder'],
  ['scrapper', 'page-scraper', 3],
  ['emial verifier', 'email-verifier'],
  ['email verfier', 'email-verifier'],
  ['pfd converter', 'pdf-converter'],
  ['recipt scaner', 'receipt-scanner'],
  ['excange rates', 'exchange-rates'],
  ['exhcange rtaes', 'exchange-rates'],
  ['currancy', 'currency-converter', 3],
  ['flihgt status', 'flight-status'],
  ['erthquakes', 'earthquakes'],
  ['satelite imagry', 'satellite-imagery'],
  ['malwrae', 'malware-scanner'],
  ['patnet search', 'patent-search'],
  ['holydays', 'public-holidays'],
  ['basketbal', 'basketball-statistics'],
  ['crickett', 'cricket-fixtures'],
  ['pasport', 'passport-reader'],
  ['vulnerabilty', 'vulnerability-feed'],
  ['wheath', 'sandbox-weather', 3],
  ['transcirp', 'meeting-transcription'],
  // Several words, in any order, and with some that no entry has.
  ['prices stock', 'stock-prices'],
  ['the weather in paris', 'sandbox-weather', 3],
  ['I need an API for stock prices', 'stock-prices'],
  ['convert pdf', 'pdf-converter'],
  ['pdf merge online', 'pdf-merger', 3],
  ['house prices zurich', 'house-prices'],
  ['text to speech', 'speech-synthesis', 5],
  ['speech to text', 'transcriber', 8],
  ['search the web', 'web-search'],
  // Other forms of a word, words typed as one, parts of a name.
  ['scrapers', 'page-scraper', 3],
  ['translating', 'translator', 5],
  ['translations', 'document-translation', 3],
  ['recipe', 'recipe-finder'],
  ['maps', 'geocoder', 8],
  ['stockprices', 'stock-prices', 3],
  ['facedetection', 'face-detection'],
  ['weathermap', 'openweathermap'],
  ['open weather map', 'openweathermap'],
  // Accents, case, other scripts.
  ['meteo ocean', 'm-t-o-oc-an'],
  ['MÉTÉO', 'm-t-o-oc-an'],
  ['погода', 'pogoda'],
  ['Погоды', 'pogoda'],
  ['天気', 'tenki'],
  ['grössenrechner', 'groesse'],
  ['ete', 'summer'],
  ['E\u0301TE\u0301', 'summer'],
  ['WEATHER 🌦', 'sandbox-weather', 3],
];

describe('a search of two hundred services', () => {
  const store = newStore();
  beforeAll(() => store.atomically(() => catalog.forEach((one) => store.services.upsert(one))));
  const found = (text: string, source?: Service['source']): string[] =>
    store.services
      .search({ text, limit: 100, ...(source === undefined ? {} : { source }) })
      .results.map(({ id }) => id);

  it('is of at least 180 services and 60 queries', () => {
    expect(new Set(catalog.map(({ id }) => id)).size).toBe(catalog.length);
    expect(catalog.length).toBeGreaterThan(180);
    expect(expectations.length).toBeGreaterThan(60);
  });

  it.each(expectations)('%j finds %s', (typed, meant, within = 1) => {
    expect(found(typed).slice(0, within)).toContain(meant);
  });

  it('corrects one letter of a word, and no second one', () => {
    expect(found('vulnerabilty')).toEqual(['vulnerability-feed']);
    expect(found('vulnrabilty')).toEqual([]);
  });

  it('puts a word in a name above the same word in a category, a description, a place', () => {
    const places: Partial<Service>[] = [
      { id: 'in-place', origin: 'https://zebrafish.example' },
      { id: 'in-description', description: 'zebrafish' },
      { id: 'in-category', category: 'zebrafish' },
      { id: 'in-name', name: 'Zebrafish' },
    ];
    const entries = places.map((more) => ({ ...service('Plain'), ...more }));
    store.atomically(() => entries.forEach((one) => store.services.upsert(one)));
    expect(found('zebrafi')).toEqual(['in-name', 'in-category', 'in-description', 'in-place']);
    store.atomically(() => entries.forEach(({ id }) => store.services.remove(id)));
    expect(found('zebrafish')).toEqual([]);
  });

  it('puts entries with all words before those with some, and counts both', () => {
    const ids = found('football scores');
    expect(ids[0]).toBe('football-scores');
    const { total, results } = store.services.search({ text: 'exchange weather', limit: 3 });
    expect(results).toHaveLength(3);
    expect(total).toBe(found('exchange weather').length);
    expect(total).toBe(new Set([...found('exchange'), ...found('weather')]).size);
  });

  it('shows one source only when asked to', () => {
    expect(found('weather', 'svc-native')).toEqual(['sandbox-weather']);
    expect(found('wheather', 'svc-native')).toEqual(['sandbox-weather']);
    expect(found('image', 'model-registry').toSorted()).toEqual(['flux-1-pro-', 'gpt-image-2']);
    expect(found('weather', 'model-registry')).toEqual([]);
    expect(found('GPT Image 2', 'svc-native')).toEqual([]);
    expect(found('native')).toEqual([]);
    expect(found('svcnative \u{E000}svcnative')).toEqual([]);
    expect(found('', 'model-registry').toSorted()).toEqual(['flux-1-pro-', 'gpt-image-2']);
  });

  it.each([
    ...Array.from('"*():^-+{}%_🚀'),
    '""',
    '\u0000',
    '\uD800',
    '\u200B',
    '...',
    `%_' --`,
    '^*',
    '{}:()',
    '   .   ',
  ])('%j has no letter or digit, and finds nothing', (text) => {
    expect(store.services.search({ text, limit: 10 })).toEqual({ results: [], total: 0 });
  });

  it.each([
    ['weather" OR "stock', 'weather stock'],
    ['weather*', 'weather'],
    ['name:weather', 'name weather'],
    ['{name} : weather', 'name weather'],
    ['NEAR(weather stock)', 'near weather stock'],
    ['weather NOT forecast', 'weather not forecast'],
    ['(weather', 'weather'],
    ['^weather', 'weather'],
    ['-weather', 'weather'],
    ['weather + forecast', 'weather forecast'],
    ["weather'; DROP TABLE service; --", 'weather drop table service'],
    ['%weather%', 'weather'],
    ['weath_r', 'weath r'],
  ])('%j is read as only the words %j', (text, words) => {
    expect(found(text)).toEqual(found(words));
    expect(found(text)).toContain('sandbox-weather');
  });

  it('treats the operators of FTS5 as words', () => {
    for (const word of ['AND', 'OR', 'NOT', 'NEAR', 'NEAR/2', 'AND OR NOT'])
      expect(() => found(word)).not.toThrow();
    expect(found('weather AND headlines')).toContain('headlines');
    expect(found('organic_foods')[0]).toBe('organic');
    expect(found('100%')).toEqual(['organic']);
  });

  it('uses experience only to decide between equals', () => {
    const [bad, good, other] = [
      service('Quokka Bad'),
      service('Quokka Fit'),
      service('Small Animal', { category: 'quokka' }),
    ];
    store.atomically(() => [bad, good, other].forEach((one) => store.services.upsert(one)));
    expect(found('quokka')).toEqual([bad.id, good.id, other.id]);
    for (let at = 1; at <= 30; at += 1) {
      store.services.observed(bad.id, { at, ok: false, latencyMs: 5 });
      store.services.observed(good.id, { at, ok: true, latencyMs: 5 });
      store.services.observed(other.id, { at, ok: true, latencyMs: 5 });
    }
    expect(found('quokka')).toEqual([good.id, bad.id, other.id]);
  });
});

const many = tries(5_000, 50_000);

describe(`a search of ${many} services`, () => {
  const store = newStore();
  beforeAll(() => fill(store, many));

  it('never throws for any query, and answers the same each time', () => {
    const words = fc.constantFrom(
      'weather',
      'AND',
      'OR',
      'NEAR(',
      '"',
      '*',
      '^',
      'name:',
      '%',
      'dat',
      'wheather',
    );
    const strings = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.array(fc.oneof(words, fc.string({ maxLength: 8 })), { maxLength: 20 }).map((some) => some.join(' ')),
    );
    const source = fc.constantFrom('svc-native', 'model-registry', 'x402-marketplace', undefined);
    fc.assert(
      fc.property(strings, source, fc.integer({ min: 0, max: 200 }), (text, only, limit) => {
        const query = { text, limit, ...(only === undefined ? {} : { source: only }) };
        const { results, total } = store.services.search(query);
        expect(results.length).toBeLessThanOrEqual(Math.min(limit, 100));
        expect(results.length).toBeLessThanOrEqual(total);
        expect(new Set(results.map(({ id }) => id)).size).toBe(results.length);
        for (const one of results) expect(one.source).toBe(only ?? one.source);
        expect(store.services.search(query)).toEqual({ results, total });
      }),
      { numRuns: tries(60, 300) },
    );
  });

  it('counts to 1,000, fills the page from more than that, and puts a full name first', () => {
    const { results, total } = store.services.search({ text: 'data', limit: 100 });
    expect([results.length, total]).toEqual([100, 1_000]);
    expect(store.services.search({ text: '', limit: 1_000 })).toMatchObject({ total: many });
    expect(store.services.search({ text: '', limit: 1_000 }).results).toHaveLength(100);
    store.atomically(() => store.services.upsert(service('Data')));
    expect(store.services.search({ text: 'data', limit: 1 }).results[0]?.id).toBe('data');
    for (const text of ['', 'data']) {
      const idsFrom = (skip: number, limit: number): string[] =>
        store.services.search({ text, limit, skip }).results.map(({ id }) => id);
      expect([...idsFrom(0, 40), ...idsFrom(40, 60)]).toEqual(idsFrom(0, 100));
      expect(idsFrom(many + 1, 100)).toEqual([]);
    }
  });
});
