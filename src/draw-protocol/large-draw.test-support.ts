/**
 * A draw with many entries, made and checked in processes of their own so that their memory can be measured:
 *
 *   node large-draw.test-support.ts make FOLDER ENTRIES
 *   node large-draw.test-support.ts check FOLDER parts|whole
 */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  openSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { ed25519 } from '@noble/curves/ed25519.js'
import { fromHex, toBytes, toHex } from './bytes.ts'
import {
  checkpointFile,
  checkpointText,
  checkpointsFile,
  keyIdOf,
  keyNameOf,
  originOf,
  registerOriginOf,
  signatureLine,
  verifierKeyText,
} from './checkpoints.ts'
import { TERMS, signRound } from './draw.test-support.ts'
import type { Kind } from './formats.ts'
import { type Leaf, leafText } from './leaves.ts'
import { ListTrees, listHeader, rowText } from './lists.ts'
import { MerkleRoots } from './merkle.ts'
import { isRegistered, logLeaf, termsLeaf } from './register.ts'
import { beaconFile, resultFile } from './results.ts'
import { selectWinner } from './selection.ts'
import { termsFile } from './terms.ts'
import { type DrawFiles, verifyDraw } from './verify.ts'

/** SHA-256 of Node in the form that the core takes: making a draw is not what is measured. */
const sha256 = Object.assign((data: Uint8Array): Uint8Array => createHash('sha256').update(data).digest(), {
  create: () => createHash('sha256'),
})
const SECRET = sha256(toBytes('volant test: key of a large log'))
const KEY = ed25519.getPublicKey(SECRET)
const KIND: Kind = 'paid'
/** Each number that is a multiple of it is void. */
const VOID_EVERY = 97
const isVoid = (number: number): boolean => number % VOID_EVERY === 0

const commitmentOf = (number: number): string => toHex(sha256(toBytes(`commitment ${number}`)))

/** Writes lines to a file, some at a time, and hashes them. */
function lineFile(file: string) {
  const target = openSync(file, 'w')
  const hash = createHash('sha256')
  let held = ''
  const flush = (): void => {
    hash.update(held)
    writeSync(target, held)
    held = ''
  }
  return {
    add(text: string): void {
      held += `${text}\n`
      if (held.length > 1 << 16) flush()
    },
    end(): string {
      flush()
      return hash.digest('hex')
    },
  }
}

function make(folder: string, entries: number): void {
  const file = (name: string): string => path.join(folder, name)
  const terms = {
    ...TERMS,
    tickets: entries,
    postReserve: 0,
    logKey: verifierKeyText(keyNameOf(TERMS.host), KEY, sha256),
  }
  const termsBytes = termsFile(terms)
  const termsHash = toHex(sha256(termsBytes))
  writeFileSync(file('README.txt'), 'volant-evidence-v1\n')
  writeFileSync(file('terms.txt'), termsBytes)
  const log = lineFile(file('log.txt'))
  const tree = new MerkleRoots(sha256)
  const checkpoints: Uint8Array[] = []
  const register = lineFile(file('register.txt'))
  const registerTree = new MerkleRoots(sha256)
  const registerCheckpoints: Uint8Array[] = []
  const { contest } = terms
  const addToRegister = (text: string): void => {
    register.add(text)
    registerTree.add(toBytes(text))
  }
  const add = (leaf: Leaf): void => {
    const text = leafText(leaf, terms)
    log.add(text)
    tree.add(toBytes(text))
    if (isRegistered(leaf.type)) addToRegister(text)
  }
  const sign = (time: number): void => {
    const name = keyNameOf(terms.host)
    const id = keyIdOf(name, KEY, sha256)
    const signed = (origin: string, { size, root }: { size: number; root: Uint8Array }): Uint8Array => {
      const text = checkpointText({ origin, size, root, time })
      return checkpointFile(text, [signatureLine(name, id, ed25519.sign(text, SECRET))])
    }
    const root = tree.root()
    checkpoints.push(signed(originOf(terms), { size: tree.size, root }))
    addToRegister(logLeaf({ contest, size: tree.size, root: toHex(root) }))
    const { size } = registerTree
    registerCheckpoints.push(signed(registerOriginOf(terms), { size, root: registerTree.root() }))
  }
  const list = (name: string): Omit<Extract<Leaf, { type: 'seal' }>, 'type'> => {
    const trees = new ListTrees(sha256)
    const lines = lineFile(file(name))
    const header = listHeader({
      rehearsal: false,
      contest: terms.contest,
      termsHash,
      logSize: tree.size,
      logRoot: toHex(tree.root()),
      paid: entries,
      postal: 0,
      demo: 0,
      valid: entries - Math.floor(entries / VOID_EVERY),
      chain: terms.beacon.chain,
      round: terms.beacon.round,
    })
    lines.add(new TextDecoder().decode(header.subarray(0, -1)))
    for (let number = 1; number <= entries; number += 1) {
      const voided = isVoid(number) ? 'refunded' : null
      const row = rowText({ number, kind: KIND, commitment: commitmentOf(number), voided })
      lines.add(row)
      trees.add(toBytes(row))
    }
    const { all, valid } = trees
    return {
      listHash: lines.end(),
      listRoot: toHex(all.root()),
      valid: valid.size,
      validRoot: toHex(valid.root()),
    }
  }
  // The register of a shop with many contests.
  for (let at = 0; at < entries / 5; at += 1)
    addToRegister(logLeaf({ contest: `contest-${at % 100}`, size: at + 1, root: commitmentOf(at) }))
  addToRegister(termsLeaf({ contest, termsHash }))
  add({ type: 'open', termsHash })
  sign(1)
  // An order in which neighbours are far apart, as numbers are issued.
  for (let at = 0; at < entries; at += 1) {
    const number = 1 + ((at * 7_919) % entries)
    add({ type: 'entry', number, kind: KIND, commitment: commitmentOf(number) })
  }
  for (let number = VOID_EVERY; number <= entries; number += VOID_EVERY)
    add({ type: 'void', number, reason: 'refunded' })
  add({ type: 'close', instant: terms.closes, pending: 0 })
  sign(terms.closes)
  add({ type: 'list', listHash: list('provisional.txt').listHash })
  sign(terms.closes + 1)
  const sealed = list('list.txt')
  add({ type: 'seal', ...sealed })
  sign(terms.draw - terms.sealMargin)
  const signature = signRound(terms.beacon.round)
  const randomness = sha256(fromHex(signature))
  const listHash = fromHex(sealed.listHash)
  const remaining = sealed.valid
  const selection = selectWinner({ attempt: 0, randomness, listHash, remaining }, sha256)
  const number = selection.index + 1 + Math.floor(selection.index / (VOID_EVERY - 1))
  const result = {
    rehearsal: false,
    contest: terms.contest,
    attempt: 0,
    listHash: sealed.listHash,
    chain: terms.beacon.chain,
    round: terms.beacon.round,
    signature,
    randomness: toHex(randomness),
    remaining,
    ...selection,
    number,
    kind: KIND,
    commitment: commitmentOf(number),
  }
  const resultBytes = resultFile(result)
  writeFileSync(file('result-0.txt'), resultBytes)
  writeFileSync(file('beacon-0.json'), beaconFile(result))
  add({ type: 'result', attempt: 0, hash: toHex(sha256(resultBytes)) })
  sign(terms.draw + 10)
  log.end()
  writeFileSync(file('checkpoints.txt'), checkpointsFile(checkpoints))
  register.end()
  writeFileSync(file('register-checkpoints.txt'), checkpointsFile(registerCheckpoints))
}

async function check(folder: string, how: string): Promise<void> {
  const files: DrawFiles = new Map(
    readdirSync(folder).map((name) => {
      const file = path.join(folder, name)
      const parts = () => createReadStream(file) as AsyncIterable<Uint8Array>
      return [
        name,
        how === 'parts' ? { size: statSync(file).size, parts } : () => new Uint8Array(readFileSync(file)),
      ] as const
    }),
  )
  const began = performance.now()
  let told = 0
  const { steps, winners } = await verifyDraw(files, { onProgress: () => void (told += 1) })
  const response = {
    outcomes: steps.map(({ outcome }) => outcome),
    winners: winners.map(({ number }) => number),
    told,
    seconds: (performance.now() - began) / 1000,
    megabytes: process.resourceUsage().maxRSS / 1024,
  }
  process.stdout.write(JSON.stringify(response))
}

const [what, folder = '', word = ''] = process.argv.slice(2)
if (what === 'make') make(folder, Number(word))
else await check(folder, word)
