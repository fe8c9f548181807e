import path from 'node:path'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/support/database.ts'
import { readTableRows } from '../../tools/gates/slices.ts'
import { personalDataSources } from './personal-data.ts'

const { pool } = await openTestDatabase()

/** Names of columns that say that these name a person or tell of one; written texts may tell of one. */
const TELLING =
  /(^|_)(user|author|by|email|username|name|phone|address|postcode|city|country|place|birth|person|payer|network|ip|browser|system|recipient|reply_to|language|partner_code|value|note|notes|text|message|answer|reason|words|subject|body|payload|input|detail|details|entry)(_|$)/
/** Numbers, times and truths tell of nobody by themselves. */
const CAN_TELL = /^(text|character|json|bytea|inet|cidr|uuid|date$)/

/** Columns that the rule finds and no source declares. */
const NO_SOURCE: readonly { because: string; columns: readonly string[] }[] = [
  {
    because:
      'Who of staff did it: the account’s id, which stays with what was done and names nobody once it is closed.',
    columns: [
      'account_suspensions.lifted_by',
      'account_suspensions.suspended_by',
      'alerts.closed_by',
      'alerts.taken_by',
      'approvals.decided_by',
      'approvals.requested_by',
      'draw_claims.awarded_by',
      'draw_claims.identity_seen_by',
      'draw_claims.letter_sent_by',
      'draw_claims.recorded_by',
      'draw_rehearsals.made_by',
      'email_links.asked_by',
      'excluded_payers.added_by',
      'message_answers.answered_by',
      'messages.handled_by',
      'objections.answered_by',
      'objections.noted_by',
      'offer_changes.approved_by',
      'offer_changes.requested_by',
      'offer_events.user_id',
      'order_notes.author_id',
      'pictures.uploaded_by',
      'postal_corrections.made_by',
      'postal_counts.confirmed_by',
      'postal_counts.counted_by',
      'postal_entries.registered_by',
      'refunds.requested_by',
      'statements.imported_by',
    ],
  },
  {
    because: 'An id of what is declared elsewhere.',
    columns: [
      'alerts.subject',
      'approvals.subject',
      'audit_log.subject',
      'draw_recipients.postal_entry_id',
      'message_answers.message_id',
      'objections.message_id',
      'postal_corrections.entry_id',
    ],
  },
  {
    because: 'A code of ours or of the provider, or a kind.',
    columns: [
      'approvals.subject_kind',
      'audit_log.subject_kind',
      'disputes.reason',
      'draw_forfeitures.reason',
      'draw_voids.reason',
      'entry_voids.reason',
      'order_events.note',
      'order_events.reason',
      'refunds.reason',
      'refunds.staff_reason',
      'statement_differences.entry',
      'tickets.void_reason',
    ],
  },
  {
    because:
      'The log of staff is a chain, which nothing is taken out of: it has ids and codes, and no words about customers.',
    columns: ['audit_log.entry'],
  },
  { because: 'Figures, ids and titles of contests.', columns: ['alerts.details'] },
  {
    because: 'Of files, logs and migrations.',
    columns: [
      'draw_checkpoints.note',
      'draw_file_parts.name',
      'draw_files.name',
      'draw_lists.name',
      'draw_stamps.name',
      'draw_rehearsal_files.name',
      'schema_migration.name',
    ],
  },
]

const columnsOfDatabase = async (): Promise<{ name: string; type: string; refers: boolean }[]> => {
  const { rows } = await pool.query<{ name: string; type: string; refers: boolean }>(`
    SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
      EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = c.oid
              AND f.confrelid = 'users'::regclass AND a.attnum = ANY(f.conkey)) AS refers
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY 1`)
  return rows
}

const declared: readonly string[] = personalDataSources.flatMap(({ columns }) => columns)
const excused = NO_SOURCE.flatMap(({ columns }) => columns)

const tellingColumns = async (): Promise<string[]> =>
  (await columnsOfDatabase())
    .filter(
      ({ name, type, refers }) =>
        refers || name.endsWith('.user_id') || (CAN_TELL.test(type) && TELLING.test(name.split('.')[1]!)),
    )
    .map(({ name }) => name)

test('every column that tells of a person belongs to a source, or there is a reason why not', async () => {
  const telling = await tellingColumns()
  expect(telling.filter((name) => !declared.includes(name) && !excused.includes(name))).toEqual([])
  // The list of reasons has no column that needs none.
  expect(excused.filter((name) => declared.includes(name) || !telling.includes(name))).toEqual([])
  const names = (await columnsOfDatabase()).map(({ name }) => name)
  expect(declared.filter((name) => !names.includes(name))).toEqual([])
})

test('a new column that tells of a person is found', async () => {
  await pool.query(`CREATE TABLE guests (
    id bigint, colour text, held_by_lock boolean, places_left integer, named_at timestamptz,
    host bigint REFERENCES users, user_id bigint, first_name text, home_address text[], reply_email varchar(9), answer jsonb
  )`)
  const before = new Set([...declared, ...excused])
  expect((await tellingColumns()).filter((name) => !before.has(name))).toEqual(
    ['answer', 'first_name', 'home_address', 'host', 'reply_email', 'user_id'].map(
      (name) => `guests.${name}`,
    ),
  )
  await pool.query('DROP TABLE guests')
})

test('a column belongs to one source, and a source speaks of tables of its own slice', () => {
  expect(new Set(declared).size).toBe(declared.length)
  const rows = Object.entries(readTableRows(path.resolve(import.meta.dirname, '../..')))
  const ownersOf = (columns: readonly string[]): string[] => [
    ...new Set(
      columns.map(
        (column) => rows.find(([, { tables }]) => tables.includes(column.split('.')[0]!))?.[0] ?? '',
      ),
    ),
  ]
  expect(
    personalDataSources.filter(({ columns }) => ownersOf(columns).length > 1).map(({ name }) => name),
  ).toEqual([])
})

test('names of sources, of their sections and of what they erase later are there once', () => {
  const names = personalDataSources.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  const reported = personalDataSources.flatMap(({ retain = {} }) => Object.keys(retain))
  expect(new Set(reported).size).toBe(reported.length)
})
