import type { ReactNode } from 'react'
import type { ClientLoaderFunctionArgs, MetaFunction } from 'react-router'
import { needMessages } from '#client/browser.ts'
import { requireSession } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { ProfilePage, ProfileSkeleton } from '#features/accounts/screens/profile-page.tsx'
import { pageHead, shellOf } from '../head.ts'
import { NeedsScripts } from '../needs-scripts.tsx'

await needMessages('account')

export async function clientLoader({ request }: ClientLoaderFunctionArgs): Promise<null> {
  await requireSession(request)
  return null
}
clientLoader.hydrate = true as const

export function HydrateFallback(): ReactNode {
  return (
    <NeedsScripts>
      <ProfileSkeleton />
    </NeedsScripts>
  )
}

export const meta: MetaFunction = ({ matches }) =>
  pageHead(shellOf(matches), 'profileData', { path: paths.profileData(), noindex: true })

export default function ProfileDataRoute(): ReactNode {
  return <ProfilePage />
}
