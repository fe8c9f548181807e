import { randomBytes, randomUUID } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { QUICKNET, roundAt, timeOfRound } from '#draw-protocol/beacon.ts'
import { fromHex, toBytes, toHex } from '#draw-protocol/bytes.ts'
import { BEACON, TestDraw, secretOf } from '#draw-protocol/draw.test-support.ts'
import { parseList } from '#draw-protocol/lists.ts'
import { MerkleRoots, leafHash } from '#draw-protocol/merkle.ts'
import type { PublicState } from '#features/draws/public-draws.contract.ts'
import { logKeyOf } from '#features/draws/server/index.ts'
import type { TestShop } from './shop.ts'

/** That of `TestDraw`. */
const LOG_KEY = logKeyOf(toHex(sha256(toBytes('volant test: key of the log'))))

/** `alternate`: the first winner has forfeited, and the round of the alternate is waited for. */
export type DrawStage = PublicState | 'alternate'

interface DrawOptions {
  slug: string
  stage: DrawStage
  /** Seconds from now to the draw; by default long before or after it, as the stage is. */
  drawsIn?: number
  /** How many seconds lie between the end and the draw. */
  closesBefore?: number
  /** Who has all numbers; nobody when left out. */
  owner?: { id: number }
  total?: number
  numbers?: readonly number[]
  /** The chain of a live shop, before it is drawn: nobody here can sign its rounds. */
  isPublicChain?: boolean
  /** Its terms are those of an older version of the shop. */
  isOlder?: boolean
  offer?: Parameters<TestShop['newOffer']>[0]
}

/** Every stage, in the order in which a contest comes to them. */
export const DRAW_STAGES: readonly DrawStage[] = [
  'open',
  'closed',
  'listed',
  'sealed',
  'drawn',
  'alternate',
  'awarded',
  'cancelled',
]
const DRAWN: readonly DrawStage[] = ['drawn', 'alternate', 'awarded']
const DAY = 86_400
const PATHS = { listed: ['list'], sealed: ['list', 'seal'], drawn: ['list', 'seal', 'draw'] } as const
const EVENTS: Partial<Record<DrawStage, readonly string[]>> = {
  ...PATHS,
  alternate: PATHS.drawn,
  awarded: [...PATHS.drawn, 'award'],
  cancelled: ['cancel'],
}
const STATE_AFTER: Record<string, PublicState> = {
  list: 'listed',
  seal: 'sealed',
  draw: 'drawn',
  award: 'awarded',
  cancel: 'cancelled',
}

/** Runs a contest of a test draw up to a stage, with `advance` for what follows. */
export async function insertDraw(shop: TestShop, options: DrawOptions) {
  const { slug, stage, owner, total = 50, numbers = [7, 31, 2, 50, 18, 44, 9, 27, 12, 3] } = options
  const now = Math.floor(Date.now() / 1000)
  const drawAt = now + (options.drawsIn ?? (DRAWN.includes(stage) ? -DAY : DAY))
  const isClosed = stage !== 'open' && stage !== 'cancelled'
  const closes =
    options.closesBefore === undefined
      ? isClosed
        ? now - 2 * DAY
        : drawAt - 7200
      : drawAt - options.closesBefore
  const chain = options.isPublicChain ? QUICKNET : BEACON
  const draw = new TestDraw({
    contest: slug,
    host: 'volant.example',
    demonstration: true,
    tickets: total,
    kinds: ['demo'],
    perPerson: null,
    postReserve: 0,
    price: 490,
    closes,
    objections: 600,
    sealMargin: 600,
    draw: drawAt,
    beacon: { ...chain, round: roundAt(chain, drawAt)! },
    question: null,
    texts: { fr: null, nl: null, en: null },
  })
  const offerId = await shop.newOffer({
    slug,
    total_tickets: total,
    end_date: new Date(closes * 1000),
    draw_at: new Date(drawAt * 1000),
    prize_value_cents: 3_500_000,
    state: isClosed ? 'closed' : 'open',
    ...options.offer,
  })
  for (const number of numbers) draw.entry(number, 'demo')
  draw.checkpoint(Math.min(now, closes) - 60)
  const { pool } = shop
  await pool.query('UPDATE offers SET tickets_sold = $2, entered_at = now() WHERE id = $1', [
    offerId,
    numbers.length,
  ])
  const terms = draw.terms
  await pool.query(
    `INSERT INTO draws (offer_id, terms_hash, draw_at, objections_seconds, seal_margin_seconds, beacon_patience_seconds,
                        claim_seconds, alternate_delay_seconds, alternates_decided, notice_seconds, terms_version)
     VALUES ($1, $2, to_timestamp($3), $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      offerId,
      Buffer.from(sha256(draw.files.get('terms.txt')!)),
      drawAt,
      terms.objections,
      terms.sealMargin,
      terms.beaconPatience,
      terms.claim,
      terms.alternateDelay,
      terms.alternatesDecided,
      terms.notice,
      options.isOlder ? 2 : 3,
    ],
  )
  await pool.query('INSERT INTO draw_logs (id, origin, key) VALUES ($1, $2, $3)', [
    offerId,
    `volant.example/draws/${slug}`,
    terms.logKey,
  ])
  for (const [index, number] of numbers.entries()) {
    const { salt } = secretOf(number)
    await pool.query(
      `INSERT INTO tickets (id, offer_id, number, user_id, source) VALUES ($1, $2, $3, $4, $5)`,
      // Only an entry by post may have no account.
      [randomUUID(), offerId, number, owner?.id ?? null, owner ? 'demo' : 'postal'],
    )
    await pool.query(
      'INSERT INTO draw_entries (offer_id, number, leaf_index, salt) VALUES ($1, $2, $3, $4)',
      [offerId, number, index + 1, Buffer.from(salt)],
    )
  }
  await pool.query(
    `INSERT INTO draw_attempts (offer_id, attempt, round, round_at) VALUES ($1, 0, $2, to_timestamp($3))`,
    [offerId, terms.beacon.round, timeOfRound(terms.beacon, terms.beacon.round)],
  )

  /** Stores the log, the files and the lists as they are now. */
  async function store(at: number): Promise<void> {
    draw.checkpoint(at)
    await pool.query(
      `INSERT INTO draw_leaves (log_id, index, leaf)
       SELECT $1, at - 1, leaf FROM unnest($2::text[]) WITH ORDINALITY AS u (leaf, at) ON CONFLICT DO NOTHING`,
      [offerId, draw.leaves],
    )
    await pool.query('UPDATE draw_logs SET size = $2, entries = $3 WHERE id = $1', [
      offerId,
      draw.leaves.length,
      numbers.length,
    ])
    await pool.query(
      'INSERT INTO draw_checkpoints (log_id, size, root, at, note) VALUES ($1, $2, $3, to_timestamp($4), $5)',
      [offerId, draw.leaves.length, Buffer.from(fromHex(draw.root())), at, draw.notes.at(-1)],
    )
    await storeRegister(at)
    for (const [name, bytes] of draw.files) {
      const { rowCount } = await pool.query(
        `INSERT INTO draw_files (offer_id, name, sha256, bytes, made_at) VALUES ($1, $2, $3, $4, to_timestamp($5))
         ON CONFLICT DO NOTHING`,
        [offerId, name, Buffer.from(sha256(bytes)), bytes.length, at],
      )
      if (rowCount === 0) continue
      await pool.query('INSERT INTO draw_file_parts (offer_id, name, part, content) VALUES ($1, $2, 0, $3)', [
        offerId,
        name,
        Buffer.from(bytes),
      ])
      if (name !== 'provisional.txt' && name !== 'list.txt') continue
      const { header } = parseList(bytes)
      if (name === 'list.txt') await storeListTree(bytes)
      const root = /^volant-seal-v1\t\S+\t\S+\t(\S+)\t/.exec(draw.leaves.at(-1) ?? '')?.[1]
      await pool.query(
        `INSERT INTO draw_lists (offer_id, name, leaf_index, log_root, list_root, paid, postal, demo, valid)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          offerId,
          name,
          header.logSize,
          Buffer.from(fromHex(header.logRoot)),
          name === 'list.txt' && root !== undefined ? Buffer.from(fromHex(root)) : null,
          header.paid,
          header.postal,
          header.demo,
          header.valid,
        ],
      )
    }
  }

  /** Stores what the register says of this draw, unless a contest of the shop's own has begun one. */
  async function storeRegister(at: number): Promise<void> {
    const [origin, key] = [`${terms.host}/draws`, LOG_KEY.verifierKey(terms.host)]
    await pool.query('INSERT INTO draw_logs (id, origin, key) VALUES (0, $1, $2) ON CONFLICT DO NOTHING', [
      origin,
      key,
    ])
    const { rows } = await pool.query<{ key: string }>('SELECT key FROM draw_logs WHERE id = 0')
    if (rows[0]?.key !== key) return
    const stored = await pool.query<{ leaf: string }>(
      'SELECT leaf FROM draw_leaves WHERE log_id = 0 ORDER BY index',
    )
    const before = stored.rows.map(({ leaf }) => leaf)
    const own = draw.register.filter((leaf) => leaf.split('\t')[1] === slug && !before.includes(leaf))
    const tree = new MerkleRoots(sha256)
    for (const leaf of [...before, ...own]) tree.add(toBytes(leaf))
    await pool.query(
      `INSERT INTO draw_leaves (log_id, index, leaf)
       SELECT 0, $1::int + at - 1, leaf FROM unnest($2::text[]) WITH ORDINALITY AS u (leaf, at)`,
      [before.length, own],
    )
    const size = before.length + own.length
    await pool.query('UPDATE draw_logs SET size = $1 WHERE id = 0', [size])
    const last = await pool.query<{ at: number }>(
      'SELECT extract(epoch FROM max(at))::float8 AS at FROM draw_checkpoints WHERE log_id = 0',
    )
    const time = Math.max(at, last.rows[0]?.at ?? 0)
    const note = LOG_KEY.note(terms.host, { origin, size, root: tree.root(), time })
    await pool.query(
      'INSERT INTO draw_checkpoints (log_id, size, root, at, note) VALUES (0, $1, $2, to_timestamp($3), $4)',
      [size, Buffer.from(tree.root()), time, note],
    )
  }

  /** Stores the trees of a list that is shorter than a tile. */
  async function storeListTree(bytes: Uint8Array): Promise<void> {
    const rows = new TextDecoder()
      .decode(bytes)
      .split('\n')
      .filter((line) => line.includes('\t'))
    for (const ofValid of [false, true]) {
      const own = rows.filter((row) => !ofValid || row.endsWith('\tvalid'))
      if (own.length === 0) continue
      const hashes = own.map((row) => leafHash(sha256, new TextEncoder().encode(row)))
      await pool.query(
        `INSERT INTO draw_list_tiles (offer_id, of_valid, level, index, hashes, first_number)
         VALUES ($1, $2, 0, 0, $3, $4)`,
        [offerId, ofValid, Buffer.concat(hashes), Number.parseInt(own[0]!, 10)],
      )
    }
  }

  async function storeResult(at: number): Promise<void> {
    const { attempt, randomness, number } = draw.results.at(-1)!
    await pool.query(
      `UPDATE draw_attempts SET drawn_at = to_timestamp($3), relay = 'relay.example', randomness = $4, number = $5
       WHERE offer_id = $1 AND attempt = $2`,
      [offerId, attempt, at, Buffer.from(fromHex(randomness)), number],
    )
    await pool.query(
      `INSERT INTO draw_claims (offer_id, attempt, token_hash, until)
       VALUES ($1, $2, $3, to_timestamp($4::float8 + $5))`,
      [offerId, attempt, randomBytes(32), at, terms.claim],
    )
  }

  /** The winner claims the prize and agrees that a name is published. */
  const claim = (): Promise<unknown> =>
    pool.query(
      `UPDATE draw_claims SET submitted_at = now(), name = 'Ada Lovelace', address = '{Rue 1}', city = 'Namur',
              country = 'BE', name_consent_at = now(), first_name = 'Ada', place = 'Namur'
       WHERE offer_id = $1 AND attempt = $2`,
      [offerId, draw.results.at(-1)!.attempt],
    )

  /** Makes the next move. */
  async function advance(event: string, at = Math.floor(Date.now() / 1000)): Promise<void> {
    if (event === 'list') draw.close().list('list')
    if (event === 'seal') draw.list('seal')
    if (event === 'draw') {
      draw.result()
      await storeResult(at)
    }
    if (event === 'award') draw.claim().award()
    await store(at)
    const { rows } = await pool.query<{ state: string }>('SELECT state FROM offers WHERE id = $1', [offerId])
    const words = event === 'cancel' ? `, cancelled_at = now(), cancelled_why = 'La voiture est perdue.'` : ''
    await pool.query(`UPDATE offers SET state = $2${words} WHERE id = $1`, [offerId, STATE_AFTER[event]])
    await pool.query(
      `INSERT INTO offer_events (offer_id, event, from_state, to_state, actor) VALUES ($1, $2, $3, $4, 'system')`,
      [offerId, event, rows[0]?.state, STATE_AFTER[event]],
    )
  }

  await store(Math.min(now, closes) - 30)
  const last = DRAWN.includes(stage) ? drawAt : now
  const times: Record<string, number> = {
    list: closes + 60,
    seal: Math.min(last - 900, closes + 900),
    draw: last + 4,
    award: last + 9,
    cancel: now,
  }
  for (const event of EVENTS[stage] ?? []) await advance(event, times[event])
  if (stage === 'alternate') {
    const published = now - 3600
    draw.forfeit('unclaimed', published, { text: 'Personne ne s’est présenté.\n' })
    await store(published)
    await pool.query(
      `UPDATE draw_claims SET forfeited_at = to_timestamp($2) WHERE offer_id = $1 AND attempt = 0`,
      [offerId, published],
    )
    await pool.query(
      `INSERT INTO draw_forfeitures (offer_id, attempt, reason, is_decided, published_at)
       VALUES ($1, 0, 'unclaimed', false, to_timestamp($2))`,
      [offerId, published],
    )
    const round = roundAt(terms.beacon, published + terms.alternateDelay)!
    await pool.query(
      `INSERT INTO draw_attempts (offer_id, attempt, round, round_at) VALUES ($1, 1, $2, to_timestamp($3))`,
      [offerId, round, timeOfRound(terms.beacon, round)],
    )
  }
  return {
    offerId,
    slug,
    draw,
    advance,
    claim,
    listHash: () => draw.listHash,
    termsHash: toHex(sha256(draw.files.get('terms.txt')!)),
  }
}
