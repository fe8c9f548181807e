import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { sha256 } from '@noble/hashes/sha2.js'
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { toBytes, toHex } from '../src/draw-protocol/bytes.ts'
import { CHEATS, VOUCHED } from '../src/draw-protocol/cheats.test-support.ts'
import { wholeDraw } from '../src/draw-protocol/draw.test-support.ts'
import { DrawFault } from '../src/draw-protocol/faults.ts'
import { timeText } from '../src/draw-protocol/formats.ts'
import { selectWinner } from '../src/draw-protocol/selection.ts'
import { checkStamp } from '../src/draw-protocol/stamp-tokens.ts'
import { type AuthorityOptions, authorityOf } from '../src/draw-protocol/stamps.test-support.ts'
import { authorityFile } from '../src/draw-protocol/stamps.ts'
import { type Voucher, verifyDraw } from '../src/draw-protocol/verify.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { isExtended, sized } from '../test/support/tier.ts'

type Fault = { step: string; code: string }
type Expectations = {
  packs: Record<string, Fault | null>
  verdicts: Record<string, string>
  winners: number[]
  links: Record<'last' | 'first' | 'loser' | 'other' | 'absent' | 'terms', string>
  loserLine: number
  termsHash: string
  listHash: string
}
type Stamps = { opened: string; sealed: string | null }
type Findings = {
  verdict: string
  steps: {
    step: string
    state: string
    faults?: { code: string; file?: string; line?: number }[]
    why?: { code: string; text: string }
  }[]
  remarks: { code: string }[]
  voucher:
    | ({ by: 'witnesses'; count: number; of: number; stamps: Stamps | null } & Stamps)
    | ({ by: 'stamps' } & Stamps)
    | { by: 'shop'; why: string | null }
    | null
  winners: { attempt: number; number: number }[]
  beacon: { code: string; address?: string }[]
  ticket?: Record<string, unknown>
}
type Checked = Findings & { said: Record<'en' | 'fr' | 'nl', string> }

const VERIFIER = path.join(import.meta.dirname, 'verify-draw.py')
const MAKER = path.join(import.meta.dirname, 'testbed/make-draw.py')

/** What a Python program responds with; `missing` when there is no Python. */
const python = (...words: string[]) => pythonWith('', ...words)

const pythonWith = (input: string, ...words: string[]) =>
  new Promise<{ code: number | 'missing'; out: string; err: string }>((resolve) => {
    const options = {
      maxBuffer: 2 ** 26,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', no_proxy: '*' },
    }
    const child = execFile('python3', words, options, (error, out, err) => {
      const missing = error?.code === 'ENOENT'
      resolve({ code: missing ? 'missing' : error ? Number(error.code) : 0, out, err })
    })
    // A program that is missing or ends early does not read it.
    child.stdin?.on('error', () => undefined).end(input)
  })

const hasPython = (await python('--version')).code === 0
const hasOpenssl = /^OpenSSL [3-9]/.test(spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '')

/** As the program writes it: times as texts, and no name of the authority. */
function writtenOf(voucher: Voucher | null): Findings['voucher'] {
  if (!voucher || voucher.by === 'shop') return voucher
  const times = ({ opened, sealed }: { opened: number; sealed: number | null }): Stamps => ({
    opened: timeText(opened),
    sealed: sealed === null ? null : timeText(sealed),
  })
  if (voucher.by === 'stamps') return { by: 'stamps', ...times(voucher) }
  return { ...voucher, ...times(voucher), stamps: voucher.stamps && times(voucher.stamps) }
}

/** What a Python program prints that must not fail. */
const made = (...words: string[]): Promise<string> => madeOf('', ...words)

async function madeOf(input: string, ...words: string[]): Promise<string> {
  const { code, out, err } = await pythonWith(input, ...words)
  if (code !== 0 || err) throw new Error(`${words.join(' ')} ended with ${code}: ${err}`)
  return out
}

const firstFault = ({ steps }: Findings): Fault | null => {
  const failed = steps.find(({ state }) => state === 'failed')
  return failed ? { step: failed.step, code: failed.faults?.[0]?.code ?? '' } : null
}

describe.skipIf(!hasPython)('verify-draw.py (skipped where python3 is missing)', () => {
  const folder = temporaryFolder('volant-draws-', 'file')
  const file = (name: string) => path.join(folder, name)
  let expected: Expectations
  let checked: Record<string, Checked>

  // Packs of another hand take half a minute to make.
  beforeAll(async () => {
    if (!isExtended) return
    await made(MAKER, folder, '--folders')
    expected = JSON.parse(readFileSync(file('expectations.json'), 'utf8')) as Expectations
    checked = JSON.parse(await made(MAKER, folder, '--check')) as Record<string, Checked>
  }, 120_000)

  const verify = async (...words: string[]) => {
    const { code, out, err } = await python(VERIFIER, ...words, '--json')
    expect(err).toBe('')
    return { code, findings: JSON.parse(out) as Findings }
  }

  test.runIf(isExtended)('the step that a cheat breaks fails first, and honest packs pass', () => {
    const found = Object.fromEntries(
      Object.entries(checked).map(([name, response]) => [name, firstFault(response)]),
    )
    expect(found).toEqual(expected.packs)
    expect(Object.values(found).filter(Boolean).length).toBeGreaterThan(110)
    const verdicts = Object.entries(checked).map(([name, { verdict }]) => [name, verdict])
    expect(Object.fromEntries(verdicts)).toEqual(expected.verdicts)
  })

  test.runIf(isExtended)('remarks tell what is not a failure', () => {
    const codes = (name: string) => checked[name]?.remarks.map(({ code }) => code)
    expect(codes('honest')).toEqual(['demonstration', 'entries-after-list'])
    expect(codes('real')).toEqual(['entries-after-list'])
    expect(codes('rehearsal')).toEqual(['rehearsal', 'demonstration', 'entries-after-list'])
    expect(checked['rehearsal']?.said.en).toMatch(/^THIS IS A REHEARSAL.*THIS IS A DEMONSTRATION.*\n/)
    expect(codes('cancelled-after-seal')).toContain('cancelled-after-seal')
    expect(codes('cancelled-unsealed')).not.toContain('cancel-late')
    expect(codes('cancelled-unsealed-late')).toContain('cancel-late')
    expect(codes('result-late')).toContain('result-late')
    expect(codes('silence')).toContain('silence-claimed')
    expect(codes('closed-late')).toContain('close-late')
    expect(codes('objections-short')).toContain('objections-short')
    expect(codes('sealed-after-margin')).toContain('seal-late')
    expect(codes('commitment-twice')).toContain('same-commitment')
    expect(codes('claimed-and-forfeited')).toContain('claimed')
    expect(codes('result-withheld')).toContain('result-overdue')
    expect(codes('older-than-kept')).toContain('kept-newer')
    expect(codes('older-than-kept-register')).toContain('kept-newer')
    expect(codes('kept-of-register')).not.toContain('kept-newer')
    expect(codes('authority-silent')).toEqual([
      'demonstration',
      'terms-unstamped',
      'seal-unstamped',
      'entries-after-list',
    ])
    expect(codes('cancelled-after-seal')).not.toContain('cancelled-unconfirmed')
    expect(codes('cancelled-unconfirmed')).toContain('cancelled-unconfirmed')
    const unconfirmed = (name: string) => codes(name)?.filter((code) => /^terms-|unconfirmed/.test(code))
    const forfeited = ['forfeit-unconfirmed', 'forfeit-unconfirmed']
    expect(unconfirmed('witnesses-silent')).toEqual(['terms-unconfirmed', 'seal-unconfirmed', ...forfeited])
    expect(unconfirmed('witnesses-late')).toEqual([
      'terms-unconfirmed',
      'terms-late',
      'seal-unconfirmed',
      ...forfeited,
    ])
    expect(unconfirmed('witness-slow')).toEqual(['terms-unconfirmed', 'seal-unconfirmed', ...forfeited])
    expect(unconfirmed('no-policy')).toEqual([])
  })

  test.runIf(isExtended)('the verdict says who vouches for its times', () => {
    const [byShop, byWitnesses] = [
      'but only the shop says when',
      'and sealed before the draw: 2 of 3 witnesses say so',
    ]
    const said = (name: string) => [
      checked[name]?.voucher,
      checked[name]?.said.en.trimEnd().split('\n').at(-1),
    ]
    const witnesses = expect.objectContaining({ by: 'witnesses', count: 2, of: 3 })
    expect(said('honest')).toEqual([witnesses, `Consistent, ${byWitnesses}.`])
    expect(said('witness-almost-slow')).toEqual(said('honest'))
    expect(said('before-draw')).toEqual([
      witnesses,
      expect.stringContaining(`so far, ${byWitnesses}. Nothing`),
    ])
    expect(said('cancelled-after-seal')).toEqual([
      witnesses,
      expect.stringContaining(`(shop), ${byWitnesses}.`),
    ])
    expect(said('cancelled-while-open')).toEqual([
      witnesses,
      expect.stringContaining('announced before the close'),
    ])
    for (const name of ['no-policy', 'policy-asks-nobody', 'rehearsal'])
      expect(said(name)).toEqual([{ by: 'shop', why: 'no-policy' }, `Consistent, ${byShop}.`])
    for (const name of ['witnesses-silent', 'witnesses-late', 'witness-slow'])
      expect(said(name)).toEqual([{ by: 'shop', why: 'unconfirmed' }, `Consistent, ${byShop}.`])
  })

  test.runIf(isExtended)(
    'a reader can bring witnesses of their own, whose keys are of ML-DSA-44',
    async () => {
      const { publicKey, secretKey } = ml_dsa44.keygen(sha256(toBytes('a witness')))
      const name = 'latest.example'
      const keyOf = (type: number, key: Uint8Array) => {
        const id = sha256(Buffer.concat([toBytes(`${name}\n`), Buffer.of(type), key])).subarray(0, 4)
        return {
          id,
          text: `${name}+${toHex(id)}+${Buffer.concat([Buffer.of(type), key]).toString('base64')}`,
        }
      }
      const { id, text } = keyOf(6, publicKey)
      const u64 = (value: number) => {
        const bytes = Buffer.alloc(8)
        bytes.writeBigUInt64BE(BigInt(value))
        return bytes
      }
      /** The checkpoint with a cosignature, which says so much more than its size. */
      const cosigned = (note: string, more: number) => {
        const [origin = '', size, root = '', time = ''] = note.split('\n')
        const at = u64(Date.parse(time.slice(5)) / 1000)
        const named = (word: string) => Buffer.concat([Buffer.of(word.length), toBytes(word)])
        const tree = [u64(0), u64(Number(size) + more), Buffer.from(root, 'base64')]
        const message = Buffer.concat([toBytes('subtree/v1\n\0'), named(name), at, named(origin), ...tree])
        const line = Buffer.concat([id, at, ml_dsa44.sign(message, secretKey)])
        return `${note}\u2014 ${name} ${line.toString('base64')}\n`
      }
      const target = file('cosigned')
      cpSync(file('no-policy'), target, { recursive: true })
      const notes = readFileSync(path.join(target, 'register-checkpoints.txt'), 'utf8').split(
        /(?<=\n)\n(?!\u2014)/,
      )
      const bring = async (policy: string, more = 0) => {
        const lines = notes.map((note) => cosigned(note, more)).join('\n')
        writeFileSync(path.join(target, 'register-checkpoints.txt'), lines)
        writeFileSync(file('brought.txt'), policy)
        return python(VERIFIER, target, '--json', '--policy', file('brought.txt'))
      }
      const own = `# Témoin\nwitness Latest ${text}\nquorum Latest\n`
      const findings = async (more: number) => JSON.parse((await bring(own, more)).out) as Findings
      expect((await findings(0)).voucher).toMatchObject({ by: 'witnesses', count: 1, of: 1 })
      expect(firstFault(await findings(1))).toEqual({ step: 'register', code: 'cosignature' })
      const small = keyOf(4, Buffer.from(`01${'00'.repeat(31)}`, 'hex')).text
      const wrong = await bring(`witness Small ${small}\nquorum Small\n`)
      expect([wrong.code, wrong.err]).toEqual([2, expect.stringMatching(/brought\.txt, line 1: witness is /)])
    },
  )

  test.runIf(isExtended)('every finding has its sentences in three languages', () => {
    for (const { said } of Object.values(checked)) {
      expect(new Set(Object.values(said)).size).toBe(3)
      for (const text of Object.values(said)) expect(text).not.toMatch(/\{\w+\}|\\u00a0/)
    }
    expect(checked['list-leaves-one-out']?.said.en).toMatch(/list +FAILED\n +list\.txt, line \d+: The row is/)
    expect(checked['list-leaves-one-out']?.said.fr).toMatch(
      /list +ÉCHEC\n +list\.txt, ligne \d+\u00A0: La ligne est/,
    )
  })

  const LOADED = `
import importlib.util, sys
spec = importlib.util.spec_from_file_location("verify_draw", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
words = [bytes.fromhex(word) for word in sys.argv[2:]]
`

  /** It verifies the same signatures again and again. */
  const LOADED_WITH_MEMORY = `${LOADED}
import functools, json
program.beacon_verify = functools.lru_cache(None)(program.beacon_verify)
program.Ed25519Key = functools.lru_cache(None)(program.Ed25519Key)
program.MlDsa44Key = functools.lru_cache(None)(program.MlDsa44Key)
`

  test('round 1000 of quicknet is valid, and not as a neighbouring round', async () => {
    const signature =
      'b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39'
    const program = `${LOADED}
key = program.g_decode(bytes.fromhex(program.QUICKNET["beacon-key"]))
print([program.beacon_verify(key, round_, words[0]) for round_ in (999, 1000, 1001)])
`
    expect(await made('-c', program, VERIFIER, signature)).toBe('[False, True, False]\n')
  })

  test('the first vector of RFC 8032 is valid, and not for another message', async () => {
    const key = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'
    const signature =
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b'
    const program = `${LOADED}
key = program.Ed25519Key(words[0])
print([key.verify(words[1], message) for message in (b"", b"x")])
`
    expect(await made('-c', program, VERIFIER, key, signature)).toBe('[True, False]\n')
  })

  test.runIf(isExtended)(
    'the exit code tells passed, failed, wrong use, incomplete and cancelled apart',
    async () => {
      const passed = await verify(file('honest.zip'))
      expect(passed.code).toBe(0)
      expect(passed.findings.winners.map(({ number }) => number)).toEqual(expected.winners)
      expect((await verify(file('award-to-another.zip'))).code).toBe(1)
      expect((await verify(file('before-draw.zip'))).code).toBe(3)
      expect((await verify(file('cancelled-after-seal.zip'))).code).toBe(4)
      expect((await python(VERIFIER, file('nothing.zip'))).code).toBe(2)
      expect((await python(VERIFIER)).code).toBe(2)
    },
  )

  test.runIf(isExtended)('what the reader kept is compared', async () => {
    const honest = file('honest.zip')
    const kept = async (...words: string[]) => firstFault((await verify(honest, ...words)).findings)
    const hashes = ['--terms-hash', expected.termsHash, '--list-hash', expected.listHash]
    expect(await kept('--checkpoint', file('kept-fits.kept.txt'), ...hashes)).toBeNull()
    expect(await kept('--terms-hash', expected.listHash)).toEqual({ step: 'terms', code: 'hash' })
    expect(await kept('--list-hash', expected.termsHash)).toEqual({ step: 'list', code: 'hash' })
    expect((await verify(file('log-rewritten.zip'))).findings.verdict).toBe('passed')
  })

  test.runIf(isExtended)('a proof link finds its entry, and tells whether it won', async () => {
    const program = `${LOADED_WITH_MEMORY}
pack, *links = sys.stdin.read().splitlines()
for link in links:
    checked = program.verify([pack], ticket=link)
    print(json.dumps([checked.exit_code(), checked.as_json("en")]))
`
    const { links } = expected
    const asked = {
      ...links,
      inDutch: links.last.replace('#', '?lang=nl#'),
      ofFormerForm: links.last.replace(/\.[\w-]{43}$/, ''),
      withUnusedBits: links.last.replace(/.$/, (code) => (code === 'B' ? 'C' : 'B')),
    }
    const input = [file('honest.zip'), ...Object.values(asked)].join('\n')
    const found = (await madeOf(input, '-c', program, VERIFIER)).trimEnd().split('\n')
    const ticket = (link: keyof typeof asked) => {
      const [code, findings] = JSON.parse(found[Object.keys(asked).indexOf(link)]!) as [number, Findings]
      return [code, firstFault(findings)?.code ?? findings.ticket]
    }
    expect(ticket('last')).toEqual([0, expect.objectContaining({ list: 'valid', won: 2, forfeited: false })])
    expect(ticket('inDutch')).toEqual([0, expect.objectContaining({ won: 2 })])
    expect(ticket('first')).toEqual([0, expect.objectContaining({ list: 'valid', won: 0, forfeited: true })])
    const since = expect.stringMatching(/^2023-11-15T.*Z$/) as string
    const loser = { line: expected.loserLine, since, won: null }
    expect(ticket('loser')).toEqual([0, expect.objectContaining(loser)])
    expect(ticket('other')).toEqual([1, 'ticket-other'])
    expect(ticket('absent')).toEqual([1, 'ticket-absent'])
    expect(ticket('terms')).toEqual([1, 'link-terms'])
    expect(ticket('ofFormerForm')).toEqual([1, 'link-form'])
    expect(ticket('withUnusedBits')).toEqual([1, 'link-form'])
  })

  test.runIf(isExtended)('a step is left out when one that it needs did not pass', () => {
    const leftOut = (name: string) =>
      checked[name]?.steps
        .filter(({ state, why }) => state === 'skipped' && why?.code !== 'no-authority')
        .map(({ step }) => step)
    const after = ['register', 'stamps', 'list', 'seal', 'beacon', 'winner', 'forfeitures', 'end']
    expect(leftOut('zip-cut')).toEqual(['terms', 'log', 'checkpoints', ...after])
    expect(leftOut('terms-line-missing')).toEqual(['log', 'checkpoints', ...after])
    expect(leftOut('real-on-own-chain')).toEqual(['log', 'checkpoints', ...after])
    expect(leftOut('question-changed')).toEqual([])
    expect(leftOut('log-crlf')).toEqual(['checkpoints', ...after])
    expect(leftOut('entry-after-seal')).toEqual(after)
    expect(leftOut('no-entries-by-another-list')).toEqual(['beacon', 'winner', 'forfeitures'])
    expect(leftOut('cosignature-false')).toEqual([])
    expect(leftOut('leaf-changed-under-checkpoints')).toEqual([
      'register',
      'seal',
      'winner',
      'forfeitures',
      'end',
    ])
    expect(leftOut('list-root-wrong')).toEqual(['winner', 'forfeitures', 'end'])
    expect(leftOut('sealed-late')).toEqual([])
    expect(leftOut('forfeiture-hash-wrong')).toEqual(['beacon', 'winner', 'end'])
  })

  /** A relay whose address says how it responds, with the rounds of the honest pack. */
  async function startRelay() {
    const response = (at: number) => readFileSync(file(`honest/beacon-${at}.json`))
    const [chain] = /(?<=beacon-chain: )\w+/.exec(readFileSync(file('honest/terms.txt'), 'utf8'))!
    const { round } = JSON.parse(response(0).toString()) as { round: number }
    const bodies: Record<string, [number, Buffer | string]> = {
      good: [200, response(0)],
      neighbour: [200, response(1)],
      page: [200, '<!doctype html>'],
      early: [425, 'Requested future beacon'],
      down: [503, ''],
    }
    const server = createServer((request, reply) => {
      const [, way = '', ...rest] = request.url!.split('/')
      const [status, body] = (rest.join('/') === `${chain}/public/${round}` && bodies[way]) || [400, '']
      reply.writeHead(status).end(body)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  test.runIf(isExtended)('relays are asked about a round that the shop says was missing', async () => {
    const relay = await startRelay()
    const ask = async (name: string, ...ways: string[]) => {
      const asked = ways.flatMap((way) => ['--relay', way.startsWith('http') ? way : `${relay}/${way}`])
      const { code, findings } = await verify(file(name), '--ask-beacon', ...asked)
      return [code, findings.verdict, ...findings.beacon.map((one) => one.code)]
    }
    const outcomes = await Promise.all([
      ask('silence.zip', 'neighbour', 'page', 'good', 'down'),
      ask('silence.zip', 'early', 'http://127.0.0.1:1'),
      ask('silence.zip', 'down'),
      ask('result-withheld.zip', 'good'),
    ])
    expect(outcomes).toEqual([
      [3, 'cancelled', 'relay-invalid', 'relay-invalid', 'relay-valid', 'beacon-has', 'beacon-would'],
      [4, 'cancelled', 'relay-missing', 'relay-unreachable', 'beacon-has-not'],
      [4, 'cancelled', 'relay-refused', 'beacon-unknown'],
      [3, 'incomplete', 'relay-valid', 'beacon-would'],
    ])
    const words = [file('silence.zip'), '--ask-beacon', '--relay', `${relay}/good`]
    const { out } = await python(VERIFIER, ...words, '--ticket', expected.links.loser)
    expect(out).toContain(`By that round number ${expected.winners[0]} wins.\n`)
    expect(out).toContain('The contest was cancelled: nobody wins.\n')
    expect(out).toMatch(/\nBy its files the draw is validly cancelled, but the beacon has .*\n$/)
  })

  test.runIf(isExtended)('without a relay it says how to ask, and asks nobody', async () => {
    const asked = async (name: string, ...words: string[]) =>
      (await verify(file(name), ...words)).findings.beacon.map(({ code, address }) => address ?? code)
    expect(await asked('real-silence.zip')).toEqual([
      expect.stringMatching(/^https:\/\/api\.drand\.sh\/52db9ba7\w{56}\/public\/2436413$/),
    ])
    expect(await asked('silence.zip', '--ask-beacon')).toEqual(['no-relay'])
    expect(await asked('honest.zip')).toEqual([])
    expect((await python(VERIFIER, file('honest.zip'), '--relay', 'file:///etc/hosts')).code).toBe(2)
  })

  /** The first step that fails, or else all steps, for our other verifier, which shares no code with this one. */
  const otherFinds = async (name: string): Promise<string> => {
    const files = readdirSync(file(name)).map(
      (one) => [one, readFileSync(file(path.join(name, one)))] as const,
    )
    const kept = statSync(file(`${name}.kept.txt`), { throwIfNoEntry: false })
    const { steps } = await verifyDraw(new Map(files), {
      kept: kept ? { checkpoints: readFileSync(file(`${name}.kept.txt`)) } : {},
    })
    const failed = steps.find(({ outcome }) => outcome === 'failed')
    return failed?.step ?? steps.map(({ step, outcome }) => `${step} ${outcome}`).join(', ')
  }

  test.runIf(isExtended)(
    'the other verifier finds the same first fault in these packs, and leaves out the same steps',
    async () => {
      // In a pack `zip-…` it is the archive that cheats.
      const packs = Object.entries(expected.packs).filter(([name]) => !name.startsWith('zip-'))
      const every = sized({ short: 12, extended: 1 })
      const found: Record<string, string> = {}
      for (const [at, [name]] of packs.entries())
        if (
          at % every === 0 ||
          /kept|^seal-backdated|^leaves-lost|dated-back|^cancelled-|^silence-of/.test(name)
        )
          found[name] = await otherFinds(name)
      const finds = (name: string) =>
        expected.packs[name]?.step ??
        checked[name]?.steps.map(({ step, state }) => `${step} ${state}`).join(', ')
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, finds(name)])))
    },
    120_000,
  )

  test('it finds the same in the packs of the other verifier', async () => {
    const found = (step: string | null, voucher: Findings['voucher'] | null, remarks: string[]) => ({
      step,
      ...(step ? {} : { voucher, remarks: remarks.toSorted() }),
    })
    const honest = { 'a draw': wholeDraw().pack(), 'a rehearsal': wholeDraw({ rehearsal: true }).pack() }
    const vouched = [
      ...Object.entries(honest),
      ...VOUCHED.map(([what, files]): [string, ReadonlyMap<string, Uint8Array>] => [what, files()]),
    ]
    const isChecked = (files: ReadonlyMap<string, Uint8Array>) =>
      hasOpenssl || !(files.has('terms.tsr') || files.has('seal.tsr'))
    const packs = await Promise.all(
      vouched.map(async ([what, files]) => {
        const { remarks, voucher } = await verifyDraw(files)
        const codes = remarks.map(({ code }) => code)
        return { what, files, finds: found(null, writtenOf(voucher), codes) }
      }),
    )
    const every = sized({ short: 4, extended: 1 })
    for (const [at, [what, files, [fault = '']]] of CHEATS.entries())
      if (at % every === 0) packs.push({ what, files: files(), finds: found(fault.split(':')[0]!, null, []) })
    const left = packs.filter(({ files }) => isChecked(files))
    packs.splice(0, packs.length, ...left)
    for (const [at, { files }] of packs.entries()) {
      const target = file(`other-${at}`)
      mkdirSync(target)
      for (const [name, bytes] of files) writeFileSync(path.join(target, name), bytes)
    }
    const program = `${LOADED_WITH_MEMORY}
print(json.dumps([program.verify([line.rstrip("\\n")]).as_json("en") for line in sys.stdin]))
`
    const folders = packs.map((_, at) => `${file(`other-${at}`)}\n`).join('')
    const responses = JSON.parse(await madeOf(folders, '-c', program, VERIFIER)) as Findings[]
    const finds = responses.map((one) => {
      const codes = one.remarks.map(({ code }) => code)
      return found(firstFault(one)?.step ?? null, one.voucher, codes)
    })
    expect(packs.map(({ what }, at) => ({ what, ...finds[at] }))).toEqual(
      packs.map((one) => ({ what: one.what, ...one.finds })),
    )
  }, 120_000)

  describe.skipIf(!hasOpenssl)('time stamps (skipped where openssl is missing)', () => {
    const HASH = toHex(sha256(toBytes('what is stamped')))
    const TIME = 1_800_000_000
    const CHECK = `${LOADED}
import base64, json, os
def check(openssl, stamp, authority):
    pack = program.Pack()
    pack.read = lambda name, only=None: base64.b64decode(stamp)
    pack.complete = True
    try:
        time = program.Verification(pack).check_stamp(openssl, "terms.tsr", "${HASH}", base64.b64decode(authority))
        return "right" if time == ${TIME} else time
    except program.Fault as fault:
        return fault.code
`
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
    const stampsOf = (options: AuthorityOptions): [Uint8Array, Uint8Array, Uint8Array[]] => {
      const { stamp, file: authority, certificates } = authorityOf(options)
      return [stamp(HASH, TIME), authority, certificates]
    }

    test('both find the same in stamps with changes', async () => {
      const times = ['20271301000000', '20270115080060', '20270115080000.', '20270115080000,5']
      const made = [
        ...times.map((time) => stampsOf({ writeTime: () => `${time}Z` })),
        stampsOf({ writeTime: () => '20270115080000.999Z' }),
        stampsOf({ trusted: 'signer' }),
        stampsOf({ imprintAlgorithm: '2.16.840.1.101.3.4.2.8' }),
        stampsOf({ purposes: ['1.3.6.1.5.5.7.3.8', '1.2.3.4'] }),
        stampsOf({ isCritical: false }),
        stampsOf({ names: 'none' }),
        stampsOf({ names: 'other' }),
        stampsOf({ contentType: '1.2.840.113549.1.7.1' }),
        stampsOf({ hasCertificate: false }),
        stampsOf({ signers: 2 }),
        stampsOf({ until: TIME - 1 }),
        stampsOf({ writeTime: () => '19691231235959Z' }),
        stampsOf({ curve: 'P-384', keyUsage: 0x80, names: 'own with its serial number' }),
        stampsOf({ curve: 'P-521', tsa: 'Horodatage Nord', names: 'own and the root' }),
        stampsOf({ curve: 'secp256k1' }),
        stampsOf({ curve: 'secp256k1', trusted: 'signer' }),
        stampsOf({ signedHash: 'SHA-384' }),
        stampsOf({ between: 'allowed', names: 'own and the root' }),
        stampsOf({ between: 'forbidden' }),
        stampsOf({ names: 'own and the root', trusted: 'both' }),
        stampsOf({ keyUsage: 0xa0 }),
        stampsOf({ isStrange: true }),
        stampsOf({ tsa: 'Horodatage Sud' }),
        stampsOf({ names: 'own by SHA-1' }),
        stampsOf({ names: 'own by SHA-1 in the second attribute' }),
        stampsOf({ names: 'other in the first attribute' }),
        stampsOf({ names: 'own and a stranger' }),
        stampsOf({ names: 'own with another serial number' }),
      ]
      const [honest, authority, certificates] = stampsOf({})
      made.push(
        [honest, authority, certificates],
        [honest, ...(stampsOf({ name: 'Another' }).slice(1) as [Uint8Array, Uint8Array[]])],
      )
      const root = certificates[0]!
      for (const other of [Uint8Array.of(0x30, 0), Uint8Array.of(...root, 0)]) {
        const trusted = [root, other]
        made.push([honest, authorityFile(trusted), trusted])
      }
      const named = made.length
      const every = sized({ short: 83, extended: 1 })
      for (let at = 0; at < honest.length; at += every)
        for (const bit of [0x01, 0x20, 0x80]) {
          const changed = Uint8Array.from(honest)
          changed[at]! ^= bit
          made.push([changed, authority, certificates], [honest.subarray(0, at), authority, certificates])
        }
      const program = `${CHECK}
openssl = program.Openssl()
print(json.dumps([check(openssl, *line.split()) for line in sys.stdin]))
`
      const input = made.map(([stamp, file]) => `${base64(stamp) || '='} ${base64(file)}\n`).join('')
      const finds = JSON.parse(await madeOf(input, '-c', program, VERIFIER)) as string[]
      const others = await Promise.all(
        made.map(async ([stamp, , trusted]) => {
          try {
            const { time } = await checkStamp(stamp, { certificates: trusted, hash: HASH })
            return time === TIME ? 'right' : String(time)
          } catch (error) {
            return error instanceof DrawFault ? error.code : String(error)
          }
        }),
      )
      expect(finds.slice(0, named)).toEqual(others.slice(0, named))
      // Of a stamp that is wrong in more than one way, each says what it sees first.
      const outcome = (code: string) => code.replace(/^stamp-.*/, 'refused')
      expect(finds.map(outcome)).toEqual(others.map(outcome))
      expect(finds.slice(0, named).filter((code) => code === 'right')).toHaveLength(8)
      expect(new Set(finds)).toEqual(new Set(['right', 'stamp-form', 'stamp-other', 'stamp-foreign']))
    }, 240_000)

    test('neither settings nor certificates of the system count', async () => {
      const { file: other, stamp } = authorityOf({ name: 'Of the system' })
      const system = file('system')
      mkdirSync(system)
      writeFileSync(path.join(system, 'ca.pem'), other)
      writeFileSync(path.join(system, 'openssl.cnf'), 'openssl_conf = broken\n[broken]\nproviders = none\n')
      spawnSync('openssl', ['rehash', system])
      const program = `${CHECK}
os.environ.update(OPENSSL_CONF=sys.argv[2] + "/openssl.cnf", SSL_CERT_FILE=sys.argv[2] + "/ca.pem", SSL_CERT_DIR=sys.argv[2], LANG="fr_BE.UTF-8")
print(json.dumps([check(program.Openssl(), *line.split()) for line in sys.stdin]))
`.replace('words = [bytes.fromhex(word) for word in sys.argv[2:]]', '')
      const [honest, authority] = stampsOf({})
      const input = [honest, stamp(HASH, TIME)].map((one) => `${base64(one)} ${base64(authority)}\n`).join('')
      expect(JSON.parse(await madeOf(input, '-c', program, VERIFIER, system))).toEqual([
        'right',
        'stamp-foreign',
      ])
    })
  })

  test('without a program openssl that checks stamps they are left out, and it says why', async () => {
    const stamped = VOUCHED.find(([, , voucher]) => voucher.by === 'stamps')![1]()
    const target = file('stamped')
    mkdirSync(target)
    for (const [name, bytes] of stamped) writeFileSync(path.join(target, name), bytes)
    const programs = {
      missing: null,
      libre: 'echo "LibreSSL 3.3.6"',
      old: 'echo "OpenSSL 1.1.1w  11 Sep 2023"',
      broken: 'kill -9 $$',
      silent: ':',
      slow: 'exec /bin/sleep 30',
      ends: '[ "$1" = version ] && echo "OpenSSL 3.0.0" || exit 9',
    }
    for (const [name, text] of Object.entries(programs)) {
      mkdirSync(file(`bin-${name}`))
      if (text !== null) writeFileSync(file(`bin-${name}/openssl`), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    }
    writeFileSync(file('bin-missing/openssl.txt'), '')
    const program = `
import importlib.util, json, os, sys
spec = importlib.util.spec_from_file_location("verify_draw", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
program.OPENSSL_TIME = 2
done = []
for folder in sys.argv[3:]:
    os.environ["PATH"] = folder
    try:
        program.Openssl().accepts(b"", "00", b"", 0)
    except program.Skipped as skip:
        done.append([skip.code, skip.details["why"].replace(folder, "")])
one = program.verify([sys.argv[2]])
print(json.dumps([done, one.as_json("en")]))
one.print("nl")
`
    const folders = Object.keys(programs).map((name) => file(`bin-${name}`))
    const out = await made('-c', program, VERIFIER, target, ...folders.toReversed())
    const [first = '', ...said] = out.split('\n')
    const [reasons, findings] = JSON.parse(first) as [string[][], Findings]
    expect(reasons.toReversed()).toEqual([
      ['unsupported', 'openssl?'],
      ['unsupported', 'LibreSSL 3.3.6'],
      ['unsupported', 'OpenSSL 1.1.1w  11 Sep 2023'],
      ['unsupported', '/openssl'],
      ['unsupported', '/openssl'],
      ['unsupported', '/openssl: 2 s'],
      ['unsupported', '/openssl: exit code 9'],
    ])
    expect(findings).toMatchObject({ verdict: 'passed', voucher: { by: 'shop', why: 'no-policy' } })
    expect(findings.steps.find(({ step }) => step === 'stamps')).toMatchObject({
      state: 'skipped',
      why: {
        code: 'unsupported',
        text: expect.stringMatching(/^Time stamps were not checked, as that needs the program openssl/),
      },
    })
    expect(findings.remarks.map(({ code }) => code)).toEqual(['demonstration', 'entries-after-list'])
    expect(said.join('\n')).toMatch(/\nstamps +overgeslagen\n +Tijdstempels werden niet gecontroleerd, want /)
  })

  test.skipIf(!hasOpenssl)('it says who stamped, and what that does not show', async () => {
    const [alone, both] = (['stamps', 'witnesses'] as const).map((by) =>
      VOUCHED.find(([, , voucher]) => voucher.by === by && (voucher.by === 'stamps' || voucher.stamps))![1](),
    )
    const program = `${LOADED_WITH_MEMORY}
for line in sys.stdin:
    folder, language = line.split()
    program.verify([folder]).print(language)
    print("=")
`
    const lines = []
    for (const [name, files] of Object.entries({ alone: alone!, both: both! })) {
      mkdirSync(file(`said-${name}`))
      for (const [one, bytes] of files) writeFileSync(file(`said-${name}/${one}`), bytes)
      for (const language of ['en', 'fr', 'nl']) lines.push(`${file(`said-${name}`)} ${language}\n`)
    }
    const said = (await madeOf(lines.join(''), '-c', program, VERIFIER)).split('=\n')
    const last = said.map((text) => text.trimEnd().split('\n').at(-1))
    expect(last.slice(0, 6)).toEqual([
      expect.stringMatching(
        /^Consistent, and sealed before the draw by the time stamps of an authority, which .* no other list\.$/,
      ),
      expect.stringMatching(
        /^Cohérent, et scellé .* les horodatages d’une autorité, qui .* pas d’autre liste\.$/,
      ),
      expect.stringMatching(
        /^Klopt, en verzegeld .* de tijdstempels van een autoriteit, die .* geen andere lijst was\.$/,
      ),
      'Consistent, and sealed before the draw: 3 of 4 witnesses say so, and so do time stamps of an authority.',
      'Cohérent, et scellé avant le tirage\u00A0: 3 des 4 témoins l’attestent, tout comme les horodatages d’une autorité.',
      'Klopt, en verzegeld vóór de trekking: 3 van de 4 getuigen bevestigen het, en de tijdstempels van een autoriteit ook.',
    ])
    expect(said[0]).toContain(
      'The authority stamped the terms at 2027-01-15T07:00:10Z, the sealed list at 2027-01-16T',
    )
    expect(said[0]).toContain('Compare authority.pem with the certificates that it publishes')
  })

  test('both select the same row from lists and signatures at random', async () => {
    const bytes = (word: string, at: number) => sha256(new TextEncoder().encode(`${word} ${at}`))
    const cases = Array.from({ length: sized({ short: 1_000, extended: 10_000 }) }, (_, at) => {
      const size = Number(`0x${Buffer.from(bytes('rows', at)).toString('hex', 0, 4)}`)
      const list = bytes('list', at)
      // Small lists are as many as large ones.
      return {
        attempt: at % 3,
        remaining: 1 + ((size >>> 9) >>> (at % 23)),
        list,
        signature: bytes('signature', at),
      }
    })
    const program = `${LOADED}
import hashlib
for line in sys.stdin:
    attempt, rows, list_, signature = line.split()
    randomness = hashlib.sha256(bytes.fromhex(signature)).digest()
    list_hash = hashlib.sha256(bytes.fromhex(list_)).digest()
    tries, value, index = program.draw(int(attempt), randomness, list_hash, int(rows))
    print(randomness.hex(), list_hash.hex(), tries, value.hex(), index)
`
    const hex = (data: Uint8Array) => Buffer.from(data).toString('hex')
    const input = cases
      .map((one) => `${one.attempt} ${one.remaining} ${hex(one.list)} ${hex(one.signature)}\n`)
      .join('')
    const selected = cases.map(({ attempt, remaining, list, signature }) => {
      const [randomness, listHash] = [sha256(signature), sha256(list)]
      const { tries, value, index } = selectWinner({ attempt, randomness, listHash, remaining }, sha256)
      return `${hex(randomness)} ${hex(listHash)} ${tries} ${value} ${index}`
    })
    expect((await madeOf(input, '-c', program, VERIFIER)).trimEnd().split('\n')).toEqual(selected)
  }, 60_000)

  test.runIf(isExtended)(
    'no change at random stays unseen or breaks the program',
    async () => {
      const rounds = String(sized({ short: 60, extended: 2_000 }))
      expect(await python(MAKER, folder, '--harm', rounds)).toEqual({ code: 0, out: '[]\n', err: '' })
    },
    240_000,
  )
})
