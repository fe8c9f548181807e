import { Ticket } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/offers',
    name: 'offers',
    place: 20,
    icon: Ticket,
    permission: 'offers.read',
    load: () => import('./list.tsx'),
    catalogues: ['consoleContests'],
    follows: 'list',
  },
  {
    path: '/offers/new',
    name: 'newContest',
    place: 21,
    permission: 'offers.edit',
    load: () => import('./new-contest.tsx'),
    catalogues: ['consoleContests'],
    // It shows nothing that is stored.
    follows: false,
  },
  {
    path: '/offers/:id',
    permission: 'offers.read',
    load: () => import('./editor.tsx'),
    catalogues: ['consoleContests', 'consolePictures', 'console.change'],
    // Its form joins what others have stored with what is typed when it saves.
    follows: false,
    asksBeforeLeaving: true,
  },
] as const satisfies readonly ScreenDeclaration[]
