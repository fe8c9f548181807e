import { Gavel, ScrollText, UserCog } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/approvals',
    name: 'approvals',
    place: 100,
    icon: Gavel,
    permission: 'approvals.read',
    load: () => import('./approvals.tsx'),
    catalogues: ['console.approvals', 'console.codes'],
    follows: 'list',
  },
  {
    path: '/staff',
    name: 'staff',
    place: 110,
    icon: UserCog,
    permission: 'staff.read',
    load: () => import('./people.tsx'),
    catalogues: ['console.people', 'console.codes'],
    follows: 'list',
    actions: { giveRole: 'staff.change' },
  },
  {
    path: '/audit',
    name: 'audit',
    place: 130,
    icon: ScrollText,
    permission: 'audit.read',
    load: () => import('./audit.tsx'),
    catalogues: ['console.audit', 'console.codes'],
    follows: 'list',
    actions: { verifyAudit: 'audit.read', exportAudit: 'audit.export' },
  },
  {
    path: '/account',
    name: 'account',
    place: 140,
    permission: 'self.use',
    load: () => import('./account.tsx'),
    catalogues: ['console.account'],
    follows: 'list',
  },
] as const satisfies readonly ScreenDeclaration[]
