import { sha256 } from '@noble/hashes/sha2.js'
import { expect, test } from 'vitest'
import { toBytes, toHex, toText } from '#draw-protocol/bytes.ts'
import { verifierKeyText } from '#draw-protocol/checkpoints.ts'
import { TestDraw } from '#draw-protocol/draw.test-support.ts'
import { leafHash, nodeHash } from '#draw-protocol/merkle.ts'
import { type WatchOutcome, type WatchQuestion, checkWatch, sizeIn } from './watch.ts'

const draw = new TestDraw()
const key = draw.terms.logKey
const otherKey = verifierKeyText('volant.example/draws', new Uint8Array(32).fill(7), sha256)
const hashOf = (text: string): Uint8Array => leafHash(sha256, toBytes(text))
const [one, two] = [hashOf('one'), hashOf('two')]

/** A checkpoint of a register of so many leaves. */
function note(size: number, time: number, root = size === 1 ? one : nodeHash(sha256, one, two)): string {
  draw.signRegister(time, { size, root })
  return toText(draw.registerNotes.at(-1)!)
}

const NOON = 1_790_000_000
const first = note(1, NOON)
const grown = note(2, NOON + 60)
const proof = [toHex(two)]
const ask = (question: Partial<WatchQuestion>): WatchOutcome =>
  checkWatch({ kept: { key, note: first }, key, now: grown, proof, ...question }, sha256)

test.each<[string, Partial<WatchQuestion>, WatchOutcome]>([
  ['a register that has grown', {}, 'newer'],
  ['on a page that names no key', { key: null }, 'newer'],
  ['the same size, signed later', { now: note(1, NOON + 60), proof: [] }, 'newer'],
  ['a copy from before', { kept: { key, note: grown }, now: first }, 'older'],
  ['no proof', { proof: null }, 'unproven'],
  ['a proof that is none', { proof: ['not hexadecimal'] }, 'unproven'],
  ['a first visit', { kept: null, proof: [] }, 'forgotten'],
  ['a page of a network', { now: '<!doctype html>' }, 'unreadable'],
  ['a first visit without a key', { kept: null, key: null, proof: [] }, 'unreadable'],
  ['other terms’ key', { key: otherKey }, 'key'],
  ['a signature of another key', { kept: { key: otherKey, note: first } }, 'forgotten'],
  ['fewer leaves, later', { kept: { key, note: grown }, now: note(1, NOON + 120) }, 'size'],
  ['more leaves, earlier', { now: note(2, NOON - 60) }, 'time'],
  ['another leaf', { now: note(2, NOON + 60, nodeHash(sha256, two, one)) }, 'history'],
  ['another leaf at the same size', { now: note(1, NOON + 60, two), proof: [] }, 'history'],
  ['a storage that was tampered with', { kept: { key, note: first.replace('\n1\n', '\n2\n') } }, 'forgotten'],
  ['a storage with anything', { kept: { key: 'x', note: 'y' } }, 'forgotten'],
])('%s: %o', (_, question, outcome) => {
  expect(ask(question)).toBe(outcome)
})

test('the size of a checkpoint is read before it is checked', () => {
  expect([sizeIn(grown), sizeIn('<!doctype html>\n<p>\n'), sizeIn('')]).toEqual([2, undefined, undefined])
})
