import { Server } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/system',
    name: 'system',
    place: 120,
    icon: Server,
    permission: 'system.read',
    load: () => import('./system.tsx'),
    catalogues: ['consoleSystem', 'console.audit', 'console.people'],
    follows: 'list',
    actions: { checkInvariants: 'system.run', examine: 'system.run' },
  },
] as const satisfies readonly ScreenDeclaration[]
