import { CircleAlert, CircleCheck, LoaderCircle } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { padTicketNumber } from '#features/offers/offers.rules.ts'
import type { PublicDraw } from '../public-draws.contract.ts'
import { evidenceOf, lastAttempt, winnerOf } from '../public-draws.rules.ts'
import { Said } from './live-words.tsx'
import { openShopWorker } from './verify/shop-worker.ts'
import { type CheckState, useCheck } from './verify/use-check.ts'

type Result =
  | 'running'
  | 'passed'
  | 'shop'
  | 'stamps'
  | 'demonstration'
  | 'rehearsal'
  | 'cancelled'
  | 'incomplete'
  | 'failed'
  | 'broken'

/** What the check says of the number that the page shows. */
function resultOf(state: CheckState, draw: PublicDraw): Result {
  if (state.phase === 'broken' || state.phase === 'loadFailed') return 'broken'
  if (state.phase !== 'done') return 'running'
  const { verdict, winners, remarks, voucher } = state.outcome
  if (verdict === 'failed') return 'failed'
  // Files of another moment than the page's.
  if ((verdict === 'cancelled') !== (draw.state === 'cancelled')) return 'incomplete'
  if (verdict === 'cancelled') return 'cancelled'
  const winner = winners.findLast(({ isForfeited }) => !isForfeited)
  // Files of a moment earlier know nothing of this number yet.
  if (winner?.attempt !== lastAttempt(draw)?.attempt) return 'incomplete'
  if (winner?.number !== winnerOf(draw)) return 'failed'
  if (verdict !== 'passed') return verdict
  const unreal = (['rehearsal', 'demonstration'] as const).find((code) =>
    remarks.some((remark) => remark.code === code),
  )
  return unreal ?? (voucher?.by === 'witnesses' ? 'passed' : (voucher?.by ?? 'shop'))
}

/** Nothing can change these results but another draw. */
const SETTLED: ReadonlySet<Result> = new Set([
  'running',
  'passed',
  'shop',
  'stamps',
  'demonstration',
  'rehearsal',
  'cancelled',
])
/** How long after another result the check begins again; each time twice as long, because all files are read again. */
const AGAIN_MS = { first: 10_000, most: 300_000 }

const ICONS = {
  running: LoaderCircle,
  passed: CircleCheck,
  shop: CircleAlert,
  stamps: CircleAlert,
  demonstration: CircleCheck,
  rehearsal: CircleCheck,
  cancelled: CircleCheck,
  incomplete: CircleAlert,
  failed: CircleAlert,
  broken: CircleAlert,
} as const

/** The check of the whole draw in the browser that shows it, with its result in one sentence. */
export function LiveCheck({ draw }: { draw: PublicDraw }): ReactNode {
  const { state, start } = useCheck(openShopWorker)
  const [tries, setTries] = useState(0)
  const begin = useEffectEvent(() =>
    start(
      async () => {
        const address = evidenceOf(draw)
        const response = await fetch(address, { credentials: 'same-origin' })
        if (!response.ok) throw new Error(`the evidence pack came with ${response.status}`)
        return [{ name: address.split('/').at(-1)!, content: await response.blob() }]
      },
      { kept: { termsHash: '', listHash: '', checkpoints: '', policy: '' }, proof: '' },
    ),
  )
  const result = resultOf(state, draw)
  useEffect(() => begin(), [])
  // The network comes back, and evidence may come later.
  const isOpen = !SETTLED.has(result)
  useEffect(() => {
    if (!isOpen) return undefined
    const wait = Math.min(AGAIN_MS.most, AGAIN_MS.first * 2 ** tries)
    const timer = setTimeout(() => {
      setTries(tries + 1)
      begin()
    }, wait)
    return () => clearTimeout(timer)
  }, [isOpen, tries])
  const Icon = ICONS[result]
  const number = padTicketNumber(winnerOf(draw) ?? 0, draw.contest.total_tickets)
  return (
    <p role="status" data-check={result} className="flex items-center gap-3">
      <Icon aria-hidden="true" className={`size-8 shrink-0 ${result === 'running' ? 'animate-turn' : ''}`} />
      <span>
        <Said say={(t) => t(`liveDraw.checks.${result}`, { number })} />
      </span>
    </p>
  )
}
