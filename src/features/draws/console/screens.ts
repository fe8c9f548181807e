import { CalendarClock } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/draws',
    name: 'draws',
    place: 60,
    icon: CalendarClock,
    permission: 'draws.read',
    load: () => import('./draws.tsx'),
    catalogues: ['consoleDraws', 'consoleContests'],
    follows: 'list',
  },
  {
    path: '/draws/:id',
    permission: 'draws.read',
    load: () => import('./draw.tsx'),
    catalogues: ['consoleDraws', 'consoleDrawActions', 'consoleContests'],
    follows: 'record',
  },
] as const satisfies readonly ScreenDeclaration[]
