import { describe, expect, it } from 'vitest'
import type { ApiFailure } from '#client/api-error.ts'
import type { Ticket } from '#features/tickets/tickets.contract.ts'
import {
  changedTax,
  holdState,
  pollDelayMs,
  readCapture,
  readCaptureFailure,
  readProgress,
  timeLeft,
} from './payment-reading.ts'

const ticket: Ticket = {
  id: 'a',
  ticket_number: '07',
  title: 'Coupé',
  title_nl: '',
  title_en: '',
  end_date: '2026-12-01T00:00:00Z',
  offer_id: 1,
  offer_slug: 'coupe',
  status: 'valid',
  source: 'paid',
  issued_at: '2026-11-01T00:00:00Z',
}

const failure = (status: number, body?: unknown): ApiFailure => ({
  status,
  message: 'why',
  network: status === 0,
  body,
})

describe('readCapture', () => {
  it('is paid only with numbers in hand', () => {
    expect(readCapture({ status: 'COMPLETED', tickets: [ticket] })).toEqual({
      result: 'paid',
      tickets: [ticket],
    })
    expect(readCapture({ status: 'COMPLETED', tickets: [] })).toEqual({ result: 'unknown' })
    expect(readCapture({ status: 'PENDING', tickets: [] })).toEqual({ result: 'unknown' })
  })
})

describe('readCaptureFailure', () => {
  it('never calls it failed while the truth is unknown', () => {
    for (const status of [0, 408, 429, 500, 502, 503, 504]) {
      expect(readCaptureFailure(failure(status))).toEqual({ result: 'unknown' })
    }
  })

  it('restarts after a declined instrument', () => {
    const declined = failure(422, { details: [{ issue: 'INSTRUMENT_DECLINED' }] })
    expect(readCaptureFailure(declined)).toEqual({ result: 'declined' })
    expect(readCaptureFailure(failure(422))).toEqual({ result: 'declined' })
  })

  it('does not restart what another card cannot cure, and keeps the reference', () => {
    expect(
      readCaptureFailure(
        failure(422, {
          details: [{ issue: 'TRANSACTION_REFUSED', description: 'Refused.' }],
          debug_id: 'f00d',
        }),
      ),
    ).toEqual({ result: 'refused', message: 'Refused.', reference: 'f00d' })
  })

  it('knows an order that was paid and refunded since', () => {
    const gone = { ...failure(409), code: 'checkout.takenBack', detail: 'why' }
    expect(readCaptureFailure(gone)).toEqual({ result: 'takenBack' })
  })

  it('takes a plain no as a no', () => {
    expect(readCaptureFailure({ ...failure(409), detail: 'why' })).toEqual({
      result: 'refused',
      message: 'why',
    })
  })
})

describe('readProgress', () => {
  it('waits, repeats a lost capture, or ends', () => {
    expect(readProgress({ progress: 'confirming', tickets: [] })).toBe('wait')
    expect(readProgress({ progress: 'open', tickets: [] })).toBe('captureAgain')
    expect(readProgress({ progress: 'completed', tickets: [ticket] })).toBe('paid')
    expect(readProgress({ progress: 'completed', tickets: [] })).toBe('wait')
    expect(readProgress({ progress: 'refunded', tickets: [] })).toBe('refunded')
    expect(readProgress({ progress: 'takenBack', tickets: [] })).toBe('takenBack')
    expect(readProgress({ progress: 'closed', tickets: [] })).toBe('closed')
    expect(readProgress({ progress: 'review', tickets: [] })).toBe('review')
  })
})

describe('pollDelayMs', () => {
  it('slows down and stays patient', () => {
    expect([0, 1, 2, 3].map(pollDelayMs)).toEqual([1000, 2000, 3000, 5000])
    expect(pollDelayMs(100)).toBe(15_000)
  })
})

describe('changedTax', () => {
  const figures = { subtotal: '10.00', tax_amount: '2.10', total: '12.10', tax_rate: 21 }

  it('reads the new figures where the answer names them all', () => {
    expect(changedTax(failure(409, { ...figures, detail: 'why', code: 'checkout.priceChanged' }))).toEqual(
      figures,
    )
  })

  it('trusts nothing else', () => {
    expect(changedTax(failure(409, { ...figures, total: 'a lot' }))).toBeUndefined()
    expect(changedTax(failure(409, { ...figures, tax_rate: '21' }))).toBeUndefined()
    expect(changedTax(failure(409))).toBeUndefined()
  })
})

describe('holdState', () => {
  const end = '2026-11-01T12:00:00Z'
  const before = (minutes: number) => Date.parse(end) - minutes * 60_000

  it('warns before the end and says when it is over', () => {
    expect(holdState(end, before(20))).toEqual({ kind: 'running' })
    expect(holdState(end, before(3))).toEqual({ kind: 'soon', minutes: 3 })
    expect(holdState(end, before(0.5))).toEqual({ kind: 'soon', minutes: 1 })
    expect(holdState(end, before(0))).toEqual({ kind: 'over' })
  })
})

describe('timeLeft', () => {
  it('counts minutes, rounded up, and seconds at last', () => {
    expect(timeLeft(20 * 60_000)).toEqual({ unit: 'minutes', count: 20, nextMs: 60_000 })
    expect(timeLeft(19 * 60_000 + 1)).toEqual({ unit: 'minutes', count: 20, nextMs: 1 })
    expect(timeLeft(60_001)).toEqual({ unit: 'minutes', count: 2, nextMs: 1 })
    expect(timeLeft(60_000)).toEqual({ unit: 'seconds', count: 60, nextMs: 1_000 })
    expect(timeLeft(1_500)).toEqual({ unit: 'seconds', count: 2, nextMs: 500 })
  })

  it('ends at nothing, however late it is looked at', () => {
    expect(timeLeft(0).count).toBe(0)
    expect(timeLeft(-60_000).count).toBe(0)
  })

  it('comes to its end by the waits that it names, never standing still', () => {
    let left = 3 * 60_000 + 250
    const said: string[] = []
    while (left > 0) {
      const { unit, count, nextMs } = timeLeft(left)
      expect(nextMs).toBeGreaterThan(0)
      said.push(`${count} ${unit}`)
      left -= nextMs
    }
    expect(left).toBe(0)
    expect(said).toHaveLength(3 + 60)
    expect(new Set(said).size).toBe(said.length)
  })
})
