import { expect, test } from 'vitest'
import { traceHeaders, traceOf, withinRequest } from './request-context.ts'

const ID = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

test.each([
  [`00-${ID}-${PARENT}-01`, { id: ID, flags: '01' }],
  [`00-${ID}-${PARENT}-00`, { id: ID, flags: '00' }],
  // A later version may add to the end.
  [`cc-${ID}-${PARENT}-01`, { id: ID, flags: '01' }],
  [`cc-${ID}-${PARENT}-01-what-the-future-brings`, { id: ID, flags: '01' }],
  [`cc-${ID}-${PARENT}-01.what-the-future-brings`, null],
  [`00-${ID}-${PARENT}-01-more`, null],
  [`ff-${ID}-${PARENT}-01`, null],
  [`00-${'0'.repeat(32)}-${PARENT}-01`, null],
  [`00-${ID}-${'0'.repeat(16)}-01`, null],
  [`00-${ID.toUpperCase()}-${PARENT}-01`, null],
  [`00-${ID.slice(1)}-${PARENT}-01`, null],
  [`00-${ID}-${PARENT}-1`, null],
  [`00-${ID}-${PARENT}`, null],
  [`00-${ID}-${PARENT}-01\n{"level":60}`, null],
  [` 00-${ID}-${PARENT}-01`, null],
  ['', null],
  [undefined, null],
])('traceparent %j names the trace %j', (traceparent, trace) => {
  expect(traceOf(traceparent === undefined ? {} : { traceparent })).toEqual(trace)
})

test('a call to another service is a part of its own of the same trace', () => {
  const trace = { id: ID, flags: '01' }
  const sent = withinRequest({ id: 'a', trace }, () => [traceHeaders(), traceHeaders()])
  const parts = sent.map(({ traceparent = '' }) => traceparent.split('-'))
  for (const [version, id, part, flags] of parts)
    expect([version, id, part, flags]).toEqual(['00', ID, expect.stringMatching(/^[\da-f]{16}$/), '01'])
  expect(new Set([...parts.map(([, , part]) => part), PARENT]).size).toBe(3)
})

test('a call names no trace without a request, or without a trace of it', () => {
  expect(traceHeaders()).toEqual({})
  expect(withinRequest({ id: 'a', trace: null }, traceHeaders)).toEqual({})
})
