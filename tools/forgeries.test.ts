import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { checkLeaf, checkPack } from '../src/draw-protocol/check.ts'
import { TERMS } from '../src/draw-protocol/draw.test-support.ts'
import { FORGERIES } from '../src/draw-protocol/forgeries.test-support.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { isExtended } from '../test/support/tier.ts'

interface Question {
  pack: ReadonlyMap<string, Uint8Array>
  ticket?: string
  kept?: string
}

/** What somebody sees: the step that fails; or what became of the ticket, who vouches for the times, and the remarks. */
const seen = (failed: string | undefined, ticket: string[], voucher: string, remarks: string[]): string[] =>
  failed ? [failed] : [...ticket, voucher, ...remarks.filter((code) => code !== 'demonstration')]

async function seenOnThePage({ pack, ticket = '', kept = '' }: Question): Promise<string[]> {
  const files = [...pack].map(([name, bytes]) => ({ name, content: new Blob([new Uint8Array(bytes)]) }))
  const { steps, voucher, remarks, ...found } = await checkPack(
    { files, kept: { termsHash: '', listHash: '', checkpoints: kept, policy: '' }, proof: ticket },
    sha256,
    { onProgress: () => undefined, onStep: () => undefined },
  )
  const own = found.ticket
  return seen(
    steps.find(({ outcome }) => outcome === 'failed')?.step,
    own?.outcome === 'found' ? [own.end, own.voided ?? []].flat() : own ? [own.outcome] : [],
    voucher?.by ?? '',
    remarks.map(({ code }) => code),
  )
}

interface Answer {
  verdict: string
  steps: { step: string; state: string; faults?: { code: string }[] }[]
  voucher: { by: string } | null
  remarks: { code: string }[]
  ticket?: { won?: number | null; forfeited?: boolean; list?: string; void?: string }
}

const PROGRAM = `
import functools, importlib.util, json, sys
spec = importlib.util.spec_from_file_location("verify_draw", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
program.beacon_verify = functools.lru_cache(None)(program.beacon_verify)
program.Ed25519Key = functools.lru_cache(None)(program.Ed25519Key)
program.MlDsa44Key = functools.lru_cache(None)(program.MlDsa44Key)
def answer(folder, kept, ticket):
    return program.verify([folder], [kept] if kept else [], ticket=ticket or None).as_json("en")
print(json.dumps([answer(*question) for question in json.load(sys.stdin)]))
`

function endOf({ verdict, steps, ticket }: Answer): string[] {
  if (!ticket) return []
  const fault = steps.find(({ step }) => step === 'ticket')?.faults?.[0]?.code
  if (fault) return [fault === 'link-terms' ? 'otherTerms' : fault.replace('ticket-', '')]
  const { won, forfeited, list = 'valid', void: voided = [] } = ticket
  const end = list !== 'valid' ? 'out' : won === null ? 'lost' : forfeited ? 'forfeited' : 'won'
  return [won === undefined ? (verdict === 'cancelled' ? 'cancelled' : 'undrawn') : end, voided].flat()
}

/** Null where there is no Python. */
function seenInPython(questions: readonly Question[]): string[][] | null {
  const root = temporaryFolder('volant-forgeries-')
  const input = questions.map(({ pack, ticket, kept }, at) => {
    const folder = path.join(root, String(at))
    mkdirSync(folder)
    for (const [name, bytes] of pack) writeFileSync(path.join(folder, name), bytes)
    if (kept) writeFileSync(`${folder}.txt`, kept)
    return [folder, kept && `${folder}.txt`, ticket]
  })
  const options = { input: JSON.stringify(input), encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  const verifier = path.join(import.meta.dirname, 'verify-draw.py')
  const { error, stdout, stderr } = spawnSync('python3', ['-Bc', PROGRAM, verifier], options)
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return null
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as Answer[]).map((answer) => {
    const failed = answer.steps.find(({ step, state }) => state === 'failed' && step !== 'ticket')
    const codes = answer.remarks.map(({ code }) => code)
    return seen(failed?.step, endOf(answer), answer.voucher?.by ?? '', codes)
  })
}

/** Those of which only the witnesses tell: the short form has them alone. */
const rows = FORGERIES.filter(
  ({ quorum }) => isExtended || (quorum[0] === 'witnesses' && quorum.at(-1)!.endsWith('-unconfirmed')),
)

test('there are sixteen forgeries', () => {
  expect(new Set(FORGERIES.map(({ what }) => what)).size).toBe(16)
})

test.each(rows)(
  '$what: both verifiers show it, or say that only the shop vouches for it',
  async ({ make, ...expected }) => {
    const [{ pack }, { ticket, leaf, ...alone }] = [make(true), make(false)]
    const { contest } = TERMS
    const terms = alone.pack.get('terms.txt')!
    const page = leaf && checkLeaf({ contest, terms, response: leaf, proof: ticket }, sha256)
    const said = page?.outcome === 'found' ? page.end : (page?.outcome ?? null)
    expect(said).toBe(expected.page === undefined ? expected.ticket[0] : expected.page)
    const link = `https://${TERMS.host}/draws/${contest}${ticket}`
    const questions = [{ pack }, { pack: alone.pack, ticket: link }, alone]
    // Without kept data and without a ticket nobody would know it: then it fits.
    const keeps = expected.kept ? [expected.kept] : expected.ticket.slice(1)
    const sees = [expected.quorum, expected.ticket, keeps]
    expect(await Promise.all(questions.map(seenOnThePage))).toEqual(sees)
    expect(seenInPython(questions) ?? sees).toEqual(sees)
  },
  60_000,
)
