import { execFile } from 'node:child_process'
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
import { timeText } from '../src/draw-protocol/formats.ts'
import { selectWinner } from '../src/draw-protocol/selection.ts'
import { verifyDraw } from '../src/draw-protocol/verify.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { sized } from '../test/support/tier.ts'

type Fault = { step: string; code: string }
type Expectations = {
  packs: Record<string, Fault | null>
  verdicts: Record<string, string>
  winners: number[]
  links: Record<'last' | 'first' | 'loser' | 'other' | 'absent', string>
  loserLine: number
  termsHash: string
  listHash: string
}
type Findings = {
  verdict: string
  steps: { step: string; state: string; faults?: { code: string; file?: string; line?: number }[] }[]
  remarks: { code: string }[]
  voucher:
    | { by: 'witnesses'; count: number; of: number; opened: string; sealed: string | null }
    | { by: 'shop'; why: string | null }
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

  beforeAll(async () => {
    await made(MAKER, folder, '--folders')
    expected = JSON.parse(readFileSync(file('expectations.json'), 'utf8')) as Expectations
    checked = JSON.parse(await made(MAKER, folder, '--check')) as Record<string, Checked>
  }, 120_000)

  const verify = async (...words: string[]) => {
    const { code, out, err } = await python(VERIFIER, ...words, '--json')
    expect(err).toBe('')
    return { code, findings: JSON.parse(out) as Findings }
  }

  test('the step that a cheat breaks fails first, and honest packs pass', () => {
    const found = Object.fromEntries(
      Object.entries(checked).map(([name, response]) => [name, firstFault(response)]),
    )
    expect(found).toEqual(expected.packs)
    expect(Object.values(found).filter(Boolean).length).toBeGreaterThan(110)
    const verdicts = Object.entries(checked).map(([name, { verdict }]) => [name, verdict])
    expect(Object.fromEntries(verdicts)).toEqual(expected.verdicts)
  })

  test('remarks tell what is not a failure', () => {
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
    expect(codes('result-withheld')).toContain('result-overdue')
    expect(codes('older-than-kept')).toContain('kept-newer')
    expect(codes('older-than-kept-register')).toContain('kept-newer')
    expect(codes('kept-of-register')).not.toContain('kept-newer')
    expect(codes('cancelled-after-seal')).not.toContain('cancelled-unconfirmed')
    expect(codes('cancelled-unconfirmed')).toContain('cancelled-unconfirmed')
    const unconfirmed = (name: string) => codes(name)?.filter((code) => /^terms-|unconfirmed/.test(code))
    expect(unconfirmed('witnesses-silent')).toEqual(['terms-unconfirmed', 'seal-unconfirmed'])
    expect(unconfirmed('witnesses-late')).toEqual(['terms-unconfirmed', 'terms-late', 'seal-unconfirmed'])
    expect(unconfirmed('witness-slow')).toEqual(['terms-unconfirmed', 'seal-unconfirmed'])
    expect(unconfirmed('no-policy')).toEqual([])
  })

  test('the verdict says who vouches for its times', () => {
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

  test('a reader can bring witnesses of their own, whose keys are of ML-DSA-44', async () => {
    const { publicKey, secretKey } = ml_dsa44.keygen(sha256(toBytes('a witness')))
    const name = 'latest.example'
    const keyOf = (type: number, key: Uint8Array) => {
      const id = sha256(Buffer.concat([toBytes(`${name}\n`), Buffer.of(type), key])).subarray(0, 4)
      return { id, text: `${name}+${toHex(id)}+${Buffer.concat([Buffer.of(type), key]).toString('base64')}` }
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
  })

  test('every finding has its sentences in three languages', () => {
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

  test('the exit code tells passed, failed, wrong use, incomplete and cancelled apart', async () => {
    const passed = await verify(file('honest.zip'))
    expect(passed.code).toBe(0)
    expect(passed.findings.winners.map(({ number }) => number)).toEqual(expected.winners)
    expect((await verify(file('award-to-another.zip'))).code).toBe(1)
    expect((await verify(file('before-draw.zip'))).code).toBe(3)
    expect((await verify(file('cancelled-after-seal.zip'))).code).toBe(4)
    expect((await python(VERIFIER, file('nothing.zip'))).code).toBe(2)
    expect((await python(VERIFIER)).code).toBe(2)
  })

  test('what the reader kept is compared', async () => {
    const honest = file('honest.zip')
    const kept = async (...words: string[]) => firstFault((await verify(honest, ...words)).findings)
    const hashes = ['--terms-hash', expected.termsHash, '--list-hash', expected.listHash]
    expect(await kept('--checkpoint', file('kept-fits.kept.txt'), ...hashes)).toBeNull()
    expect(await kept('--terms-hash', expected.listHash)).toEqual({ step: 'terms', code: 'hash' })
    expect(await kept('--list-hash', expected.termsHash)).toEqual({ step: 'list', code: 'hash' })
    expect((await verify(file('log-rewritten.zip'))).findings.verdict).toBe('passed')
  })

  test('a proof link finds its entry, and tells whether it won', async () => {
    const ticket = async (link: keyof Expectations['links']) =>
      (await verify(file('honest.zip'), '--ticket', expected.links[link])).findings
    expect((await ticket('last')).ticket).toMatchObject({ list: 'valid', won: 2, forfeited: false })
    const inDutch = expected.links.last.replace('#', '?lang=nl#')
    expect((await verify(file('honest.zip'), '--ticket', inDutch)).findings.ticket).toMatchObject({ won: 2 })
    expect((await ticket('first')).ticket).toMatchObject({ list: 'valid', won: 0, forfeited: true })
    expect((await ticket('loser')).ticket).toMatchObject({
      line: expected.loserLine,
      since: expect.stringMatching(/^2023-11-15T.*Z$/),
      won: null,
    })
    expect(firstFault(await ticket('other'))).toEqual({ step: 'ticket', code: 'ticket-other' })
    expect(firstFault(await ticket('absent'))).toEqual({ step: 'ticket', code: 'ticket-absent' })
  })

  test('a step is left out when one that it needs did not pass', () => {
    const leftOut = (name: string) =>
      checked[name]?.steps.filter(({ state }) => state === 'skipped').map(({ step }) => step)
    const after = ['register', 'list', 'seal', 'beacon', 'winner', 'forfeitures', 'end']
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

  test('relays are asked about a round that the shop says was missing', async () => {
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

  test('without a relay it says how to ask, and asks nobody', async () => {
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

  test('the other verifier finds the same first fault in these packs, and leaves out the same steps', async () => {
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
  }, 120_000)

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
    const textOf = (seconds: number | null) => seconds && timeText(seconds)
    const packs = await Promise.all(
      vouched.map(async ([what, files]) => {
        const { remarks, voucher } = await verifyDraw(files)
        const { opened, sealed, ...by } = { opened: null, sealed: null, ...voucher }
        const times = opened === null ? {} : { opened: textOf(opened), sealed: textOf(sealed) }
        const codes = remarks.map(({ code }) => code)
        return { what, files, finds: found(null, { ...by, ...times } as Findings['voucher'], codes) }
      }),
    )
    for (const [what, files, [fault = '']] of CHEATS)
      packs.push({ what, files: files(), finds: found(fault.split(':')[0]!, null, []) })
    for (const [at, { files }] of packs.entries()) {
      const target = file(`other-${at}`)
      mkdirSync(target)
      for (const [name, bytes] of files) writeFileSync(path.join(target, name), bytes)
    }
    const program = `${LOADED}
import functools, json
program.beacon_verify = functools.lru_cache(None)(program.beacon_verify)
program.Ed25519Key = functools.lru_cache(None)(program.Ed25519Key)
program.MlDsa44Key = functools.lru_cache(None)(program.MlDsa44Key)
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

  test('no change at random stays unseen or breaks the program', async () => {
    const rounds = String(sized({ short: 60, extended: 2_000 }))
    expect(await python(MAKER, folder, '--harm', rounds)).toEqual({ code: 0, out: '[]\n', err: '' })
  }, 240_000)
})
