import type { LoadedTexts } from './en.js';

export const texts: LoadedTexts = {
  box: 'Sou humano',
  slide: 'Deslize para confirmar que você é humano',
  done: 'Obrigado, tudo pronto',
  intro: [
    'Verificação rápida: você é uma pessoa real?',
    'Leva cerca de 30 segundos. Olhe para a câmera e siga algumas instruções.',
  ],
  start: 'Começar',
  test: 'Modo de teste',
  neutral: 'Uma verificação rápida confirma que as respostas vêm de pessoas reais.',
  transparent:
    'Para evitar bots, verificamos seu dispositivo e como você o usa, por exemplo os movimentos do mouse ou do dedo. Com seu consentimento, também medimos seu rosto. O responsável por este site recebe o resultado.',
  consent: [
    'Podemos usar sua câmera?',
    '{company} verifica se os participantes são reais e participam só uma vez. Olhe para a câmera e siga algumas instruções.',
  ],
  measured:
    'Seu dispositivo mede a forma e o movimento do seu rosto. Usamos esses dados biométricos apenas para detectar fraudes e participações repetidas.',
  demographics: 'Seu dispositivo também estima sua idade, seu sexo e seu tom de pele.',
  consentLocal: 'Imagens e vídeo nunca saem do seu dispositivo. Recebemos apenas as medições.',
  pictures:
    'Também recebemos algumas imagens pequenas do seu rosto em tons de cinza. Um programa as verifica e nós não as guardamos. O vídeo nunca sai do seu dispositivo.',
  ownCompared: 'Comparamos seu rosto com suas próprias verificações anteriores.',
  copiesFound:
    'Também comparamos as medições com todas as verificações de {company}, apenas para detectar uma mesma gravação enviada duas vezes.',
  reuseFound:
    'Também comparamos seu rosto com os de todas as verificações de {company} nas últimas 24 horas, apenas para detectar um mesmo rosto usado para vários participantes.',
  studyCompared: 'Comparamos as medições com as dos outros participantes deste estudo.',
  projectCompared: 'Comparamos as medições com as dos outros participantes deste projeto.',
  groupCompared:
    'Comparamos as medições com as dos participantes deste projeto e de projetos relacionados de {company}.',
  kept: 'Guardamos as medições por no máximo {days} e depois as excluímos.',
  counted: 'Você pode participar novamente após {days}.',
  consentOff: 'A câmera é desligada quando a verificação termina.',
  consentFree: 'A escolha é sua: você pode continuar sem a câmera.',
  ask: 'Você pode retirar seu consentimento e pedir a exclusão dos seus dados a qualquer momento. Para isso, fale com {company}.',
  agree: 'Aceito, usar minha câmera',
  decline: 'Continuar sem câmera',
  refuse: 'Não, obrigado',
  privacy: 'Política de Privacidade',
  support: 'Precisa de ajuda?',
  ready: 'Iniciando a câmera…',
  allow: 'Se o navegador perguntar, escolha “Permitir”.',
  look_straight: 'Olhe diretamente para a câmera.',
  no_face: 'Posicione seu rosto na imagem.',
  too_far: 'Chegue um pouco mais perto.',
  too_dark: 'Vá para um lugar mais iluminado.',
  many_faces: 'Só o seu rosto deve aparecer na imagem.',
  blink: 'Pisque os olhos devagar',
  turn_left: 'Vire a cabeça para a esquerda',
  turn_right: 'Vire a cabeça para a direita',
  nod: 'Balance a cabeça para cima e para baixo',
  smile: 'Sorria',
  step: 'Passo {n} de {total}',
  good: 'Muito bem!',
  secondsLeft: 'Segundos restantes: {n}',
  more: 'Mais tempo',
  cancel: 'Cancelar',
  pass: ['Obrigado!', 'A verificação terminou. Você pode continuar.'],
  without: ['Continuando sem câmera', 'Sem problema. Você pode continuar.'],
  noted: ['Sua resposta foi registrada', 'Dúvidas? Fale com o responsável por este site.'],
  fail: [
    'Não foi possível verificar você',
    'Isso pode acontecer com pouca luz, por exemplo. Olhe para a câmera em um lugar iluminado e tente de novo.',
  ],
  deviceHelp:
    'Não foi possível confirmar seu dispositivo. Tente de novo no navegador que você costuma usar ou fale com o responsável por este site.',
  spent: ['Não há mais tentativas', 'Fale com o responsável por este site para obter ajuda.'],
  duplicate: [
    'Talvez você já tenha participado',
    'Se você acha que é um engano, fale com o responsável por este site.',
  ],
  needsCamera: [
    'Esta verificação precisa da sua câmera',
    'Tente de novo com a câmera ou peça uma alternativa ao responsável por este site.',
  ],
  denied: [
    'O acesso à câmera está bloqueado',
    'Clique no ícone da câmera na barra de endereço, permita a câmera e tente de novo.',
  ],
  busy: [
    'Sua câmera está em uso',
    'Outro aplicativo pode estar usando a câmera, como uma chamada de vídeo. Feche-o e tente de novo.',
  ],
  dismissed: ['É preciso permitir a câmera', 'Tente de novo e escolha “Permitir” quando o navegador perguntar.'],
  canceled: ['Você cancelou a verificação', 'Tente de novo quando quiser.'],
  none: ['Nenhuma câmera encontrada', 'Conecte uma câmera ou abra esta página em um celular. Depois, tente de novo.'],
  expired: ['Esta verificação expirou', 'Comece de novo para continuar.'],
  wait: ['Estamos muito ocupados neste momento', 'Espere um minuto e tente de novo.'],
};
