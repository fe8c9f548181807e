/** A shop whose contests are drawn with an emulated beacon, by a clock that the test moves. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, expect } from 'vitest'
import { startDrandEmulator } from '../../../../emulators/drand/server.ts'
import { startTsaEmulator } from '../../../../emulators/tsa/server.ts'
import { startWitnessEmulator } from '../../../../emulators/witness/server.ts'
import { type KnownLog, policyText } from '../../../../emulators/witness/witness.ts'
import { movedClock } from '../../../../test/support/database-clock.ts'
import { postcard } from '../../../../test/support/postcards.ts'
import { type ShopOptions, testShop } from '../../../../test/support/shop.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { moveDueOffers } from '#features/offers/server/index.ts'
import { dayOf } from '#features/postal/postal.rules.ts'
import { parseVerifierKey } from '#draw-protocol/checkpoints.ts'
import { verifyDraw } from '#draw-protocol/verify.ts'
import { drawAdvance } from './advance-draws.ts'
import { appendEntries } from './append-entries.ts'
import type { DrawsDeps } from './draws-deps.ts'
import { publishTerms } from './publish-terms.ts'
import { witnessAsking } from './register/ask-witnesses.ts'
import { sha256 } from './sha256.ts'
import { stampAsking } from './stamps/ask-stamps.ts'

/** Seconds of the contests of these tests. */
export const TIMES = { sale: 3600, room: 240, objections: 600, sealMargin: 300, notice: 60 }
const DRAW_AFTER = TIMES.room + TIMES.objections + TIMES.sealMargin
const VERIFIER = new URL('../../../../tools/verify-draw.py', import.meta.url).pathname

/** Of the policy of a lab with witnesses, who are `witness.test/north`, `south` and `west`. */
export const QUORUM = 2

/**
 * @param isWitnessed three emulated witnesses, of whom two must confirm
 * @param isStamped an emulated authority of time stamps, whose clock is that of this machine
 */
export async function drawLab({
  isWitnessed = false,
  isStamped = false,
  ...options
}: ShopOptions & { isWitnessed?: boolean; isStamped?: boolean } = {}) {
  const folder = temporaryFolder('draws', 'file')
  /** Which a witness knows once the shop has a port. */
  const logs: KnownLog[] = []
  const moved = movedClock()
  const { clock } = moved
  const beacon = await startDrandEmulator({ port: 0, now: clock })
  const witnesses = await startWitnessEmulator({ port: 0, logs, now: clock })
  const tsa = isStamped ? await startTsaEmulator({ port: 0 }) : undefined
  const policyFile = path.join(folder, 'policy')
  writeFileSync(policyFile, policyText(witnesses.witnesses, QUORUM))
  const shop = await testShop({
    clock,
    prepare: (database) => moved.begin(database),
    ...options,
    env: {
      BEACON_URLS: beacon.url,
      BEACON_CHAIN: JSON.stringify(beacon.chain),
      DRAW_OBJECTION_MINUTES: '10',
      DRAW_SEAL_MARGIN_MINUTES: '5',
      DRAW_NOTICE_MINUTES: '1',
      LIMITS_FACTOR: '1000',
      ...(isWitnessed && { WITNESS_POLICY: policyFile }),
      ...(tsa && { STAMP_URL: tsa.url, STAMP_CERTIFICATES: tsa.certificates }),
      ...options.env,
    },
  })
  const keyName = `${shop.draws.host}/draws`
  const publicKey = parseVerifierKey(shop.draws.key.verifierKey(shop.draws.host), sha256, 1).publicKey
  logs.push({ origin: keyName, keyName, publicKey })
  afterAll(async () => {
    await shop.close()
    await beacon.close()
    await witnesses.close()
    await tsa?.close()
  })

  /** Asks the witnesses, and waits for all of them. */
  const ask = (deps: DrawsDeps = shop.draws): Promise<void> =>
    witnessAsking(deps, { timeoutMs: 1_000, runMs: Infinity })()

  /** Asks for the time stamps that are missing, as a process does that has just begun. */
  const stamp = (deps: DrawsDeps = shop.draws): Promise<void> =>
    stampAsking(deps, { timeoutMs: 1_000, runMs: Infinity })()

  /** The jobs of a worker, once each. */
  async function work(deps: DrawsDeps = shop.draws): Promise<void> {
    await ask(deps)
    await moveDueOffers({ ...deps, publishTerms: shop.publishTerms })
    await publishTerms(deps)
    await appendEntries(deps)
    await drawAdvance(deps)()
    await ask(deps)
    await stamp(deps)
  }

  let count = 0
  /** A contest that ends an hour later, with published terms. */
  async function newContest(change: Parameters<typeof shop.newOffer>[0] = {}, deps: DrawsDeps = shop.draws) {
    count += 1
    const closes = moved.seconds() + TIMES.sale
    const draw = closes + DRAW_AFTER
    const slug = `draw-${count}`
    const id = await shop.newOffer({
      slug,
      total_tickets: 100,
      end_date: new Date(closes * 1000),
      draw_at: new Date(draw * 1000),
      ...change,
    })
    await publishTerms(deps)
    return { id, slug, closes, draw, listed: closes + 1, sealed: draw - TIMES.sealMargin - 60 }
  }
  type Contest = Awaited<ReturnType<typeof newContest>>

  /** A card that comes on the day of the moved clock. */
  const newPostcard: typeof postcard = (offerId, change) =>
    postcard(offerId, { received_on: dayOf(moved.clock(), shop.config.timeZone), ...change })

  const stateOf = async (id: number): Promise<string> =>
    (await shop.db.selectFrom('offers').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state

  /** Works at each moment at which something is due, up to the seal or the draw. */
  async function goOn(contest: Contest, until: 'list' | 'seal' | 'draw'): Promise<void> {
    const moments = [contest.closes, contest.listed, contest.sealed, contest.draw + 3]
    const last = { list: 2, seal: 3, draw: 4 }[until]
    for (const moment of moments.slice(0, last)) {
      await moved.goTo(moment)
      await work()
    }
  }

  const leavesOf = async (id: number): Promise<string[]> =>
    (
      await shop.db
        .selectFrom('draw_leaves')
        .select('leaf')
        .where('log_id', '=', id)
        .orderBy('index')
        .execute()
    ).map(({ leaf }) => leaf)

  /** The first field of each leaf, without entries: "open close list seal". */
  const stepsOf = async (id: number): Promise<string> =>
    (await leavesOf(id))
      .map((leaf) => leaf.split('-')[1])
      .filter((type) => type !== 'entry')
      .join(' ')

  /** The public evidence of a draw, as both verifiers judge it; they must agree. */
  async function evidenceOf(slug: string) {
    const zip = (await shop.anonymous('GET', `/draws/${slug}/${slug}-evidence.zip`)).body as unknown as Buffer
    const files = new Map(
      Object.entries(unzipSync(zip)).map(([name, content]) => [name.slice(slug.length + 1), content]),
    )
    const verification = await verifyDraw(files, { sha256 })
    const file = path.join(folder, `${slug}.zip`)
    writeFileSync(file, zip)
    const { stdout } = await run('python3', ['-B', VERIFIER, '--json', file])
    const second = JSON.parse(stdout) as { steps: { step: string; state: string }[] }
    const first = verification.steps.map(({ step, outcome }) => `${step} ${outcome}`)
    expect(
      second.steps.map(({ step, state }) => `${step} ${state}`),
      'the second verifier',
    ).toEqual(first)
    return {
      files,
      /** Steps that have not passed. */
      // Nothing is open about time stamps of a draw whose terms name no authority.
      open: verification.steps.filter(
        (one) => one.outcome !== 'passed' && !(one.outcome === 'skipped' && one.why === 'no-authority'),
      ),
      remarks: verification.remarks.map(({ code }) => code),
      winners: verification.winners,
      voucher: verification.voucher,
    }
  }

  return {
    shop,
    beacon,
    witnesses,
    ask,
    tsa: tsa!,
    stamp,
    time: moved,
    work,
    newContest,
    newPostcard,
    goOn,
    stateOf,
    leavesOf,
    stepsOf,
    evidenceOf,
  }
}

/** The verifier ends with another code than 0 when a draw is incomplete or fails. */
const run = (program: string, words: string[]) =>
  new Promise<{ stdout: string }>((resolve, reject) => {
    execFile(program, words, { maxBuffer: 2 ** 26 }, (error, stdout) =>
      typeof error?.code === 'string' ? reject(error) : resolve({ stdout }),
    )
  })
