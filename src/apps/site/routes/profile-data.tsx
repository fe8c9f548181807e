import accountMessages from 'virtual:messages/account'
import addressMessages from 'virtual:messages/address'
import type { ReactNode } from 'react'
import { needMessages } from '#client/browser.ts'
import { guardedLoader } from '#client/guard.ts'
import { paths } from '#client/paths.ts'
import { ProfilePage, ProfileSkeleton } from '#features/accounts/screens/profile-page.tsx'
import { metaOf } from '../head.ts'
import { needingScripts } from '../needs-scripts.tsx'

await needMessages(accountMessages, addressMessages)

export const clientLoader = guardedLoader
export const HydrateFallback = needingScripts(ProfileSkeleton)
export const meta = metaOf('profileData', { path: paths.profileData(), noindex: true })

const loadOwnData = () => import('#features/customers/screens/own-data.tsx')

export default function ProfileRoute(): ReactNode {
  return <ProfilePage loadOwnData={loadOwnData} />
}
