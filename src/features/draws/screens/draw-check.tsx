import drawTicketMessages from 'virtual:messages/drawTicket'
import verifyMessages from 'virtual:messages/verify'
import type { ReactNode } from 'react'
import { needMessages } from '#client/browser.ts'
import { canonicalPath, paths } from '#client/paths.ts'
import { useSettings } from '#client/shell.ts'
import { useHasEnded } from '#features/offers/screens/live-offers.ts'
import { formatDateTime } from '#i18n/format.ts'
import { useLanguage } from '#i18n/translations.tsx'
import type { PublicDraw } from '../public-draws.contract.ts'
import { openShopWorker } from './verify/shop-worker.ts'
import { TicketProof } from './verify/ticket-proof.tsx'
import { Verify, withSentences } from './verify/verify.tsx'

await needMessages(verifyMessages, drawTicketMessages)

/** The ticket whose proof link opened the page; it is checked again with every change of the draw. */
export function DrawTicket({ draw, proof }: { draw: PublicDraw; proof: string }): ReactNode {
  const { contest, state, log, attempts } = draw
  const { contactEmail, timeZone } = useSettings()
  const language = useLanguage()
  // Also once it is drawn: the ticket is checked a moment later.
  const isDue = useHasEnded(attempts.at(-1)?.round_at)
  return (
    <TicketProof
      contest={contest.slug}
      proof={proof}
      total={contest.total_tickets}
      openWorker={openShopWorker}
      moment={`${state} ${log?.size} ${isDue}`}
      isDue={isDue}
      claimAt={canonicalPath(paths.claim({ contest: contest.slug }), language)}
      wholeAt="#verify"
      contact={contactEmail}
      timeOf={(seconds) => formatDateTime(new Date(seconds * 1000).toISOString(), timeZone)}
    />
  )
}

const openWorker = withSentences(openShopWorker)

/** The check of the whole draw, which begins at once. */
export const DrawCheck = ({ evidence }: { evidence: string }): ReactNode => (
  <Verify
    openWorker={openWorker}
    evidence={evidence}
    contact={useSettings().contactEmail}
    program="/verify-draw.py"
    isAsked
  />
)
