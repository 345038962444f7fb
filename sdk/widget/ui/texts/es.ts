import type { LoadedTexts } from './en.js';

export const texts: LoadedTexts = {
  box: 'Soy humano',
  slide: 'Deslice para mostrar que es humano',
  working: 'Un momento…',
  slow: 'Seguimos en ello… Con una conexión lenta puede tardar más.',
  done: 'Gracias, todo listo',
  intro: [
    'Comprobación rápida: ¿es una persona real?',
    'Dura alrededor de medio minuto. Mire a la cámara y siga unos movimientos sencillos.',
  ],
  start: 'Empezar',
  neutral: 'Una breve comprobación asegura que las respuestas vienen de personas reales.',
  transparent:
    'Para distinguir a las personas de los programas, esta comprobación observa su dispositivo y cómo se usa, por ejemplo los movimientos del ratón o del dedo. Con su consentimiento mide también su rostro. Los responsables de esta página reciben el resultado.',
  consent: [
    '¿Podemos usar su cámara?',
    '{company} quiere asegurarse de que participan personas reales, y cada una solo una vez. Mire a la cámara y siga unos movimientos sencillos.',
  ],
  measured:
    'Su dispositivo mide la forma y el movimiento de su rostro. Son datos biométricos. Solo sirven para distinguir a las personas reales de las falsificaciones y para reconocer una participación repetida.',
  demographics: 'Su dispositivo también estima su edad, su sexo y la claridad de su piel.',
  consentLocal: 'Las imágenes y el vídeo nunca salen de su dispositivo; solo se envían medidas.',
  pictures:
    'Con las medidas se envían unas pocas imágenes pequeñas y grises de su rostro; un programa las comprueba y no se guardan. El vídeo nunca sale de su dispositivo.',
  ownCompared: 'Su rostro se compara con sus propias comprobaciones anteriores.',
  copiesFound:
    'Unos códigos breves de las medidas se comparan con los de todas las comprobaciones de {company}, solo para detectar medidas enviadas dos veces.',
  reuseFound:
    'Su rostro también se compara con los de todas las comprobaciones de {company} de las últimas 24 horas, solo para detectar un mismo rostro usado para varios participantes.',
  studyCompared: 'Las medidas se comparan con las de los demás participantes de este estudio.',
  projectCompared: 'Las medidas se comparan con las de los demás participantes de este proyecto.',
  groupCompared:
    'Las medidas se comparan con las de los participantes de este proyecto y de proyectos relacionados de {company}.',
  kept: 'Se guardan {days} como máximo y después se eliminan.',
  counted: 'Una participación cuenta durante {days}.',
  consentOff: 'La cámara se apaga en cuanto termina la comprobación.',
  consentFree: 'Usted decide: puede continuar sin cámara.',
  ask: 'Puede retirar su consentimiento y pedir que se eliminen sus datos en cualquier momento. Consulte a {company}.',
  agree: 'Acepto, usar mi cámara',
  decline: 'Continuar sin cámara',
  refuse: 'No, gracias',
  privacy: 'Privacidad',
  support: '¿Necesita ayuda?',
  ready: 'Preparando su cámara…',
  allow: 'Si el navegador lo pregunta, elija «Permitir».',
  look_straight: 'Mire directamente a la cámara.',
  no_face: 'Colóquese en la imagen para que se vea su rostro.',
  too_far: 'Acérquese un poco.',
  too_dark: 'Un poco más de luz ayudaría.',
  many_faces: 'Solo un rostro en la imagen, por favor.',
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
  noted: ['Gracias, hemos anotado sus respuestas', '¿Preguntas? Los responsables de esta página pueden ayudarle.'],
  fail: [
    'Esta vez no ha funcionado',
    'Puede pasar, por ejemplo con poca luz. Mire a la cámara con buena luz e inténtelo de nuevo.',
  ],
  spent: ['Ese fue el último intento', 'Gracias por su paciencia. Los responsables de esta página pueden ayudarle.'],
  duplicate: [
    'Parece que ya ha participado',
    '¡Muchas gracias! Si cree que es un error, los responsables de esta página pueden ayudarle.',
  ],
  needsCamera: [
    'Esta comprobación necesita su cámara',
    'Inténtelo de nuevo con la cámara o pida otra vía a los responsables de esta página.',
  ],
  denied: [
    'La cámara está desactivada para esta página',
    'Haga clic en el icono de la cámara en la barra de direcciones, permita la cámara e inténtelo de nuevo.',
  ],
  busy: [
    'La cámara está en uso',
    'Parece que otro programa la usa, quizá una videollamada. Ciérrelo e inténtelo de nuevo.',
  ],
  dismissed: [
    'La cámara aún no se ha permitido',
    'Inténtelo de nuevo y elija «Permitir» cuando el navegador lo pregunte.',
  ],
  none: [
    'No se ha encontrado ninguna cámara',
    'Conecte una cámara o abra esta página en un teléfono e inténtelo de nuevo.',
  ],
  expired: ['Ha tardado un poco', 'No pasa nada. Empiece de nuevo cuando quiera.'],
  wait: ['Ahora mismo estamos muy ocupados', 'Espere un minuto e inténtelo de nuevo.'],
};
