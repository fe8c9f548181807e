import type { ReactNode } from 'react'
import type { ClientLoaderFunctionArgs, MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { requireSession } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { ParticipationsPage, ParticipationsSkeleton } from '#features/tickets/screens/participations-page.tsx'
import { pageHead, shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'

await needMessages('purchase')

export async function clientLoader({ request }: ClientLoaderFunctionArgs): Promise<null> {
  await requireSession(request)
  return null
}
clientLoader.hydrate = true as const

export function HydrateFallback(): ReactNode {
  return (
    <NeedsScripts>
      <ParticipationsSkeleton />
    </NeedsScripts>
  )
}

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'participations', { path: paths.participations(), noindex: true })

export default function ParticipationsRoute(): ReactNode {
  return <ParticipationsPage />
}
