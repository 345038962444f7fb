import type { LoadedTexts } from './en.js';

export const texts: LoadedTexts = {
  box: 'Soy humano',
  slide: 'Deslice para confirmar que es humano',
  done: 'Gracias, todo listo',
  intro: [
    'Comprobación rápida: ¿es una persona real?',
    'Dura unos 30 segundos. Mire a la cámara y siga unas indicaciones.',
  ],
  start: 'Empezar',
  test: 'Modo de prueba',
  neutral: 'Una comprobación rápida confirma que las respuestas son de personas reales.',
  transparent:
    'Para evitar los bots, comprobamos su dispositivo y cómo lo usa, por ejemplo los movimientos del ratón o del dedo. Con su consentimiento, también medimos su rostro. El responsable de este sitio recibe el resultado.',
  consent: [
    '¿Podemos usar su cámara?',
    '{company} comprueba que los participantes son reales y participan solo una vez. Mire a la cámara y siga unas indicaciones.',
  ],
  measured:
    'Su dispositivo mide la forma y el movimiento de su rostro. Usamos estos datos biométricos solo para detectar falsificaciones y participaciones repetidas.',
  demographics: 'Su dispositivo también estima su edad, su sexo y su tono de piel.',
  consentLocal: 'Las imágenes y el vídeo nunca salen de su dispositivo. Solo recibimos las mediciones.',
  pictures:
    'También recibimos unas pocas imágenes pequeñas de su rostro en escala de grises. Un programa las comprueba y no las guardamos. El vídeo nunca sale de su dispositivo.',
  ownCompared: 'Comparamos su rostro con sus propias comprobaciones anteriores.',
  copiesFound:
    'También comparamos las mediciones con todas las comprobaciones de {company}, solo para detectar una misma grabación enviada dos veces.',
  reuseFound:
    'También comparamos su rostro con todas las comprobaciones de {company} de las últimas 24 horas. Esto solo sirve para detectar un mismo rostro usado para varios participantes.',
  studyCompared: 'Comparamos las mediciones con las de los demás participantes en este estudio.',
  projectCompared: 'Comparamos las mediciones con las de los demás participantes en este proyecto.',
  groupCompared:
    'Comparamos las mediciones con las de los participantes en este proyecto y en proyectos relacionados de {company}.',
  kept: 'Guardamos las mediciones {days} como máximo y después las eliminamos.',
  counted: 'Puede volver a participar después de {days}.',
  consentOff: 'La cámara se apaga cuando termina la comprobación.',
  consentFree: 'Usted decide: puede continuar sin la cámara.',
  ask: 'Puede retirar su consentimiento y pedir que se eliminen sus datos en cualquier momento. Para ello, contacte con {company}.',
  agree: 'Acepto, usar mi cámara',
  decline: 'Continuar sin cámara',
  refuse: 'No, gracias',
  privacy: 'Política de privacidad',
  support: '¿Necesita ayuda?',
  ready: 'Iniciando la cámara…',
  allow: 'Si el navegador le pregunta, elija «Permitir».',
  look_straight: 'Mire directamente a la cámara.',
  no_face: 'Coloque su rostro dentro de la imagen.',
  too_far: 'Acérquese un poco.',
  too_dark: 'Vaya a un lugar más iluminado.',
  many_faces: 'Asegúrese de que solo se vea su rostro.',
  blink: 'Parpadee despacio',
  turn_left: 'Gire la cabeza a la izquierda',
  turn_right: 'Gire la cabeza a la derecha',
  nod: 'Asienta con la cabeza',
  smile: 'Sonría',
  step: 'Paso {n} de {total}',
  good: '¡Muy bien!',
  secondsLeft: 'Segundos restantes: {n}',
  more: 'Más tiempo',
  cancel: 'Cancelar',
  pass: ['¡Gracias!', 'La comprobación ha terminado. Puede continuar.'],
  without: ['Continúa sin cámara', 'No hay problema. Puede continuar.'],
  noted: ['Su respuesta se ha registrado', '¿Preguntas? Contacte con el responsable de este sitio.'],
  fail: [
    'No hemos podido verificarle',
    'Puede ocurrir con poca luz, por ejemplo. Mire a la cámara con buena luz e inténtelo de nuevo.',
  ],
  deviceHelp:
    'No hemos podido confirmar su dispositivo. Inténtelo de nuevo en su navegador habitual o contacte con el responsable de este sitio.',
  spent: ['No quedan intentos', 'Contacte con el responsable de este sitio para recibir ayuda.'],
  duplicate: [
    'Es posible que ya haya participado',
    'Si cree que es un error, contacte con el responsable de este sitio.',
  ],
  needsCamera: [
    'Esta comprobación necesita su cámara',
    'Inténtelo de nuevo con la cámara o pida una alternativa al responsable de este sitio.',
  ],
  denied: [
    'El acceso a la cámara está bloqueado',
    'Haga clic en el icono de la cámara en la barra de direcciones, permita la cámara e inténtelo de nuevo.',
  ],
  busy: [
    'Su cámara está en uso',
    'Es posible que otra aplicación la esté usando, como una videollamada. Ciérrela e inténtelo de nuevo.',
  ],
  dismissed: [
    'Se necesita acceso a la cámara',
    'Inténtelo de nuevo y elija «Permitir» cuando el navegador le pregunte.',
  ],
  canceled: ['Ha cancelado la comprobación', 'Inténtelo de nuevo cuando quiera.'],
  none: [
    'No se ha encontrado ninguna cámara',
    'Conecte una cámara o abra esta página en un teléfono e inténtelo de nuevo.',
  ],
  expired: ['Esta comprobación ha caducado', 'Empiece de nuevo para continuar.'],
  wait: ['Ahora mismo estamos muy ocupados', 'Espere un minuto e inténtelo de nuevo.'],
};
