import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/staff/exclusions',
    name: 'exclusions',
    place: 111,
    permission: 'exclusions.read',
    load: () => import('./exclusions.tsx'),
    catalogues: ['consoleStaff'],
    follows: 'list',
    actions: { exclude: 'exclusions.change' },
  },
] as const satisfies readonly ScreenDeclaration[]
