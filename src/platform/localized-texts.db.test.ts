import path from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase, testDatabase } from '../../test/support/database.ts'
import { migrate } from './migrations.ts'
import { silentLog } from './postgres/log.ts'

const { pool } = await openTestDatabase()
const run = async (statement: string, values: unknown[] = [], on = pool) =>
  (await on.query(statement, values)).rows

/** What a release before this one wrote. */
const ROW = `INSERT INTO offers (slug, title, title_nl, title_en, description, question, question_nl, question_en, choices,
    correct_choice, price_cents, total_tickets, end_date, number_key, published_at, state)
  VALUES ($1, 'Coupé rouge', 'Rode coupé', '', 'Rouge.', 'Un ?', NULL, '', '{un,deux}', 'un', 490, 100,
    now() + interval '1 day', $2, now(), 'open') RETURNING id`
const PICTURE = `INSERT INTO offer_pictures (offer_id, position, src, widths, width, height, color, alt_fr, alt_en)
  VALUES ($1, 0, '/media/car', '{480}', 480, 300, '#000', 'Devant', 'Front')`
const key = Buffer.alloc(32, 7)

const textsOf = (id: number, on = pool) =>
  run(
    `SELECT titles, descriptions, questions, draw_terms_texts, title, title_nl, title_en, question, question_nl, question_en
     FROM offers WHERE id = $1`,
    [id],
    on,
  )

const STORED = {
  titles: { fr: 'Coupé rouge', nl: 'Rode coupé' },
  descriptions: { fr: 'Rouge.' },
  questions: { fr: 'Un ?' },
  draw_terms_texts: { fr: '' },
}

test('contests and pictures of a release before keep their texts, also where somebody has entered', async () => {
  const older = await testDatabase({ empty: true })
  const folder = path.resolve(import.meta.dirname, '../../db/migrations')
  const upTo = (version: number) => migrate({ url: older.url, folder, log: silentLog, upTo: version })
  try {
    await upTo(37)
    const [{ id }] = await run(ROW, ['red', key], older.pool)
    await run(PICTURE, [id], older.pool)
    await run('UPDATE offers SET tickets_sold = 3 WHERE id = $1', [id], older.pool)
    const described = `SELECT offer_description(${id}) AS it`
    const before = await run(described, [], older.pool)
    await upTo(38)
    expect(await textsOf(id, older.pool)).toEqual([expect.objectContaining(STORED)])
    expect(await run('SELECT alts FROM offer_pictures', [], older.pool)).toEqual([
      { alts: { fr: 'Devant', en: 'Front' } },
    ])
    // A change that waits for a consent is still the change of what is stored.
    expect(await run(described, [], older.pool)).toEqual(before)
    await expect(
      run(`UPDATE offers SET titles = '{"fr": "Autre"}' WHERE id = $1`, [id], older.pool),
    ).rejects.toThrow(/with a consent only/)
  } finally {
    await older.close()
  }
})

test('what the release before writes and what this one writes are one', async () => {
  const [{ id }] = await run(ROW, ['two-releases', key])
  await run(PICTURE, [id])
  expect(await textsOf(id)).toEqual([expect.objectContaining(STORED)])
  await run(`UPDATE offers SET title_nl = '', title_en = 'Red coupe', question_en = 'One?' WHERE id = $1`, [
    id,
  ])
  expect(await textsOf(id)).toEqual([
    expect.objectContaining({
      titles: { fr: 'Coupé rouge', en: 'Red coupe' },
      questions: { fr: 'Un ?', en: 'One?' },
    }),
  ])
  await run(
    `UPDATE offers SET titles = '{"fr": "Bleu", "nl": "Blauw"}', questions = '{"fr": "Deux ?"}' WHERE id = $1`,
    [id],
  )
  expect(await textsOf(id)).toEqual([
    expect.objectContaining({
      title: 'Bleu',
      title_nl: 'Blauw',
      title_en: '',
      question: 'Deux ?',
      question_nl: null,
      question_en: null,
    }),
  ])
  await run('UPDATE offers SET questions = NULL, correct_choice = NULL WHERE id = $1', [id])
  expect(await textsOf(id)).toEqual([expect.objectContaining({ question: null, questions: null })])
  const pictures = () =>
    run('SELECT alts, alt_fr, alt_nl, alt_en FROM offer_pictures WHERE offer_id = $1', [id])
  await run(`UPDATE offer_pictures SET alt_nl = 'Voor' WHERE offer_id = $1`, [id])
  expect(await pictures()).toMatchObject([{ alts: { fr: 'Devant', nl: 'Voor', en: 'Front' } }])
  await run(`UPDATE offer_pictures SET alts = '{"fr": "Dessus"}' WHERE offer_id = $1`, [id])
  expect(await pictures()).toMatchObject([{ alt_fr: 'Dessus', alt_nl: '', alt_en: '' }])
})

test.each([
  '{}',
  '{"nl": "Rood"}',
  '"Rouge"',
  '["Rouge"]',
  'null',
  '{"fr": null}',
  '{"fr": 1}',
  '{"fr": "Rouge", "nl": ""}',
  '{"fr": "Rouge", "nl": {"de": "Rot"}}',
  '{"fr": "Rouge", "NL": "Rood"}',
  '{"fr": "Rouge", "nld": "Rood"}',
])('%s is no text', async (value) => {
  await expect(run('SELECT $1::localized_text', [value])).rejects.toThrow(/localized_text_check/)
})

test.each(['{"fr": ""}', '{"fr": "Rouge"}', '{"fr": "", "nl": "Rood"}', '{"fr": "Rouge", "de": "Rot"}'])(
  '%s is a text',
  async (value) => {
    expect(await run('SELECT $1::localized_text::jsonb AS it', [value])).toEqual([{ it: JSON.parse(value) }])
  },
)
