// Suppliers of language models, and the owner's settings for their models. Both are protected: they decide where a key
// goes, and what tokens cost.
import { supplierKindNames } from '../contract/models/suppliers.ts';
import type { ModelSettings, ModelSupplier, Store } from '../engine/ports.ts';
import type { Usdc } from '../money.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { mapper, type Columns } from './row.ts';

export const createModelSuppliers = (db: Db, journal: Journal): Store['modelSuppliers'] => {
  const all = db.prepare('SELECT * FROM model_supplier ORDER BY created_at, id');
  const put = db.prepare(/* sql */ `
    INSERT INTO model_supplier (id, kind, name, base_url, has_key, allow_private, enabled, factor, extra_fields,
      created_at, removed_at, journal_seq)
    VALUES (@id, @kind, @name, @baseUrl, @hasKey, @allowPrivate, @enabled, @factor,
      @extraFields, @createdAt, @removedAt, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, base_url = excluded.base_url, has_key = excluded.has_key,
      allow_private = excluded.allow_private, enabled = excluded.enabled, factor = excluded.factor,
      extra_fields = excluded.extra_fields, removed_at = excluded.removed_at, journal_seq = excluded.journal_seq
    RETURNING *`);
  const known = journal.cache<readonly ModelSupplier[]>('model_supplier');
  const every = (): readonly ModelSupplier[] => known.get('all', () => all.all().map(toSupplier));

  return {
    list: () => every().filter(({ removedAt }) => removedAt === null),
    ids: () => every().map(({ id }) => id),
    set(supplier) {
      const created = !every().some(({ id }) => id === supplier.id);
      const row = put.get({
        ...supplier,
        hasKey: Number(supplier.hasKey),
        allowPrivate: Number(supplier.allowPrivate),
        enabled: Number(supplier.enabled),
        extraFields: JSON.stringify(supplier.extraFields),
        journalSeq: journal.next(),
      });
      journal.enter('model_supplier', row, created);
    },
  };
};

export const createLanguageModels = (db: Db, journal: Journal): Store['languageModels'] => {
  const all = db.prepare('SELECT * FROM language_model ORDER BY id');
  const one = db.prepare('SELECT 1 FROM language_model WHERE id = ?');
  const others = db.prepare('SELECT * FROM language_model WHERE model_id = ? AND id <> ? AND is_default = 1');
  const put = db.prepare(/* sql */ `
    INSERT INTO language_model (id, supplier_id, model_id, input, output, cached_input, cache_write, priced_at,
      max_output, enabled, is_default, journal_seq)
    VALUES (@id, @supplierId, @modelId, @input, @output, @cachedInput, @cacheWrite,
      @pricedAt, @maxOutput, @enabled, @isDefault, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET input = excluded.input, output = excluded.output,
      cached_input = excluded.cached_input, cache_write = excluded.cache_write, priced_at = excluded.priced_at,
      max_output = excluded.max_output, enabled = excluded.enabled, is_default = excluded.is_default,
      journal_seq = excluded.journal_seq
    RETURNING *`);
  const known = journal.cache<readonly ModelSettings[]>('language_model');
  const write = (settings: ModelSettings): void => {
    const id = `${settings.supplierId}/${settings.modelId}`;
    const created = one.get(id) === undefined;
    const row = put.get({
      ...settings,
      id,
      enabled: Number(settings.enabled),
      isDefault: Number(settings.isDefault),
      journalSeq: journal.next(),
    });
    journal.enter('language_model', row, created);
  };

  return {
    list: () => known.get('all', () => all.all().map(toSettings)),
    set(settings) {
      const id = `${settings.supplierId}/${settings.modelId}`;
      if (settings.isDefault)
        for (const other of others.all(settings.modelId, id))
          write({ ...toSettings(other), isDefault: false });
      write(settings);
    },
  };
};

const toSupplier = mapper('model_supplier', (row): ModelSupplier => ({
  id: row.text('id'),
  kind: row.word('kind', supplierKindNames),
  name: row.text('name'),
  baseUrl: row.text('base_url'),
  hasKey: row.flag('has_key'),
  allowPrivate: row.flag('allow_private'),
  enabled: row.flag('enabled'),
  factor: row.bigint('factor'),
  extraFields: row.strings('extra_fields'),
  createdAt: row.integer('created_at'),
  removedAt: row.integerOrNull('removed_at'),
}));

const price = (row: Columns, column: string): Usdc | null => (row.isNull(column) ? null : row.usdc(column));

const toSettings = mapper('language_model', (row): ModelSettings => ({
  supplierId: row.text('supplier_id'),
  modelId: row.text('model_id'),
  input: price(row, 'input'),
  output: price(row, 'output'),
  cachedInput: price(row, 'cached_input'),
  cacheWrite: price(row, 'cache_write'),
  pricedAt: row.integerOrNull('priced_at'),
  maxOutput: row.integerOrNull('max_output'),
  enabled: row.flag('enabled'),
  isDefault: row.flag('is_default'),
}));
