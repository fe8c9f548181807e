import verifyMessages from 'virtual:messages/verify'
import type { ReactNode } from 'react'
import { needMessages } from '#client/browser.ts'
import type { PublicDraw } from '../public-draws.contract.ts'
import { openShopWorker } from './verify/shop-worker.ts'
import { TicketProof } from './verify/ticket-proof.tsx'
import { Verify } from './verify/verify.tsx'

await needMessages(verifyMessages)

interface DrawCheckProps {
  draw: PublicDraw
  evidence: string
}

/** The ticket whose proof link opened the page, and the check of the whole draw. Loaded when somebody asks for it. */
export function DrawCheck({ draw: { contest, attempts }, evidence }: DrawCheckProps): ReactNode {
  const winners = attempts.flatMap(({ attempt, drawn }) =>
    drawn ? [{ number: drawn.number, isForfeited: attempts.some((later) => later.attempt > attempt) }] : [],
  )
  return (
    <>
      <TicketProof contest={contest.slug} winners={winners} openWorker={openShopWorker} />
      <Verify openWorker={openShopWorker} evidence={evidence} />
    </>
  )
}
