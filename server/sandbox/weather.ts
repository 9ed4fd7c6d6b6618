// The demo paid API: `GET /weather?city=...` for 0.01 USDC. Its answer is plausible, and always the same for a city.
import { createHash } from 'node:crypto';
import { Router } from 'express';
import { z } from 'zod';
import { paywall } from '../paywall/paywall.ts';
import type { PaywallOptions } from '../paywall/types.ts';

export const weatherServiceId = 'sandbox-weather';
export const weatherPrice = '0.01';

interface Weather {
  city: string;
  temperatureCelsius: number;
  conditions: string;
  humidityPercent: number;
  windKilometresPerHour: number;
  summary: string;
}

type WeatherOptions = Omit<PaywallOptions, 'price' | 'service'>;

const citySchema = z
  .string('must be given once, as in /weather?city=Lisbon')
  .trim()
  .regex(/^\p{L}[\p{L}\p{M}\p{N} .,'’()-]{0,79}$/u, 'must be the name of a city, at most 80 characters');

/**
 * A router for the host to mount. It takes receipts with and without an invoice, so that the simplest client can buy
 * too; a new seller leaves `bind` at its default. An impossible city name is 400 before any money is asked for.
 */
export const createWeather = (options: WeatherOptions): Router => {
  const router = Router();
  const wall = paywall({ bind: 'optional', ...options, price: weatherPrice, service: weatherServiceId });
  router.get(
    '/weather',
    (request, response, next) => {
      const city = citySchema.safeParse(request.query['city']);
      if (city.success) return void next();
      const error = `city: ${city.error.issues[0]?.message ?? 'invalid'}`;
      response.status(400).json({ error, code: 'bad_request', details: { field: 'city' } });
    },
    wall,
    (request, response) => {
      response.json(weatherOf(citySchema.parse(request.query['city'])));
    },
  );
  return router;
};

// Degrees of latitude, which matters most for how warm a place is.
const latitudes: Readonly<Record<string, number>> = {
  amsterdam: 52.4,
  athens: 38.0,
  auckland: -36.8,
  bangkok: 13.8,
  berlin: 52.5,
  bogota: 4.7,
  'buenos aires': -34.6,
  cairo: 30.0,
  'cape town': -33.9,
  chicago: 41.9,
  delhi: 28.6,
  dubai: 25.2,
  helsinki: 60.2,
  istanbul: 41.0,
  jakarta: -6.2,
  lagos: 6.5,
  lima: -12.0,
  lisbon: 38.7,
  london: 51.5,
  madrid: 40.4,
  melbourne: -37.8,
  'mexico city': 19.4,
  moscow: 55.8,
  mumbai: 19.1,
  nairobi: -1.3,
  'new york': 40.7,
  oslo: 59.9,
  paris: 48.9,
  reykjavik: 64.1,
  rome: 41.9,
  'san francisco': 37.8,
  'sao paulo': -23.6,
  seoul: 37.6,
  singapore: 1.4,
  stockholm: 59.3,
  sydney: -33.9,
  tokyo: 35.7,
  toronto: 43.7,
  vienna: 48.2,
  zurich: 47.4,
};

const mild = [
  { conditions: 'sunny', humidity: 35 },
  { conditions: 'partly cloudy', humidity: 50 },
  { conditions: 'overcast', humidity: 62 },
  { conditions: 'light rain', humidity: 78 },
  { conditions: 'thunderstorms', humidity: 82 },
  { conditions: 'fog', humidity: 90 },
] as const;
const snow = { conditions: 'light snow', humidity: 80 } as const;

/** The weather of a city, a pure function of its name; case and accents do not count. */
export const weatherOf = (city: string): Weather => {
  const name = city.normalize('NFD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();
  const digest = createHash('sha256').update(name).digest();
  const between = (at: number, low: number, high: number) =>
    low + (digest.readUInt16BE(at) % (high - low + 1));

  // People live between 50° south and 65° north.
  const latitude = latitudes[name] ?? between(0, -50, 65);
  const temperatureCelsius = Math.round(29 - Math.abs(latitude) * 0.4 + between(2, -4, 4));
  const sky = temperatureCelsius <= 1 ? snow : (mild[between(4, 0, mild.length - 1)] ?? mild[0]);
  const humidityPercent = sky.humidity + between(6, -5, 5);
  const windKilometresPerHour = between(8, 2, 34);
  const air = windKilometresPerHour < 8 ? 'hardly any wind' : `wind at ${windKilometresPerHour} km/h`;
  const summary = `${city}: ${sky.conditions}, ${temperatureCelsius} °C, ${humidityPercent} % humidity, ${air}.`;
  return {
    city,
    temperatureCelsius,
    conditions: sky.conditions,
    humidityPercent,
    windKilometresPerHour,
    summary,
  };
};
