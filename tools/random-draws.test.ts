import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { fromHex, toBytes, toHex, toText } from '#draw-protocol/bytes.ts'
import { MerkleRoots } from '#draw-protocol/merkle.ts'
import { verifyDraw } from '#draw-protocol/verify.ts'
import { type Findings, randomDraw } from '../test/support/random-draws.ts'
import { sized } from '../test/support/tier.ts'

const VERIFIER = fileURLToPath(new URL('verify-draw.py', import.meta.url))
const hasPython = spawnSync('python3', ['--version']).status === 0

/** Reads packs, one in a line, and prints what it finds in each. Equal signatures are verified once. */
const PROGRAM = `
import base64, functools, hashlib, importlib.util, json, sys
spec = importlib.util.spec_from_file_location("verify_draw", sys.argv[1])
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)
program.beacon_verify = functools.lru_cache(None)(program.beacon_verify)

class Given(program.Pack):
    def read(self, name, only=None):
        if name not in self.sources:
            raise program.Fault("file-missing", name)
        return base64.b64decode(self.sources[name])[:only]

for line in sys.stdin:
    pack = Given()
    pack.complete = True
    for name, content in json.loads(line).items():
        pack.add(name, content)
    one = program.Verification(pack)
    one.run()
    data = pack.read("list.txt")
    rows = data.split(b"\\n\\n", 1)[1].split(b"\\n")[:-1]
    signature = json.loads(pack.read("beacon-0.json"))["signature"]
    print(json.dumps({
        "verdict": one.verdict() if "failed" in one.states.values() else "passed",
        "listHash": hashlib.sha256(data).hexdigest(),
        "listRoot": program.roots_at(rows, [len(rows)])[len(rows)].hex(),
        "randomness": hashlib.sha256(bytes.fromhex(signature)).hexdigest(),
        "winners": [winner["number"] for winner in one.as_json("en")["winners"]],
    }))
`

/** The same by the core of the page. */
async function byCore(files: ReadonlyMap<string, Uint8Array>): Promise<Findings> {
  const { steps, winners } = await verifyDraw(files, { sha256 })
  const list = files.get('list.txt')!
  const tree = new MerkleRoots(sha256)
  for (const row of toText(list).split('\n\n')[1]!.split('\n').slice(0, -1)) tree.add(toBytes(row))
  const { signature } = JSON.parse(toText(files.get('beacon-0.json')!)) as { signature: string }
  return {
    verdict: steps.some(({ outcome }) => outcome === 'failed') ? 'failed' : 'passed',
    listHash: toHex(sha256(list)),
    listRoot: toHex(tree.root()),
    randomness: toHex(sha256(fromHex(signature))),
    winners: winners.map(({ number }) => number),
  }
}

test.skipIf(!hasPython)(
  'two verifiers agree with the maker of draws with lists and signatures at random (skipped without python3)',
  async () => {
    const count = sized({ short: 50, extended: 10_000 })
    const python = spawn('python3', ['-B', '-c', PROGRAM, VERIFIER], { stdio: ['pipe', 'pipe', 'inherit'] })
    const said = text(python.stdout)
    for (let number = 0; number < count; number += 1) {
      const { files, findings } = randomDraw(number)
      const coded = [...files].map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')])
      if (!python.stdin.write(`${JSON.stringify(Object.fromEntries(coded))}\n`))
        await once(python.stdin, 'drain')
      expect([number, await byCore(files)]).toEqual([number, findings])
    }
    python.stdin.end()
    const responses = (await said).trimEnd().split('\n')
    expect(responses).toHaveLength(count)
    for (const [number, response] of responses.entries())
      expect([number, JSON.parse(response)]).toEqual([number, randomDraw(number).findings])
  },
  2 * 3_600_000,
)
