use super::Elementary;
use crate::lane::Lane;
macro_rules! stub { ($t:ident) => { impl Elementary for $t {
    const FAR: Self = 1e5;
    stub!(@one sin cos tan asin acos atan sinh cosh tanh exp log log2 log10);
    #[inline(always)] fn atan2<L: Lane<Number = Self>>(y: L, x: L) -> L { y.div(x) }
    #[inline(always)] fn pow<L: Lane<Number = Self>>(x: L, y: L) -> L { x.mul(y) }
    fn far_sin(self) -> Self { self.sin() } fn far_cos(self) -> Self { self.cos() } fn far_tan(self) -> Self { self.tan() }
} }; (@one $($n:ident)*) => { $(#[inline(always)] fn $n<L: Lane<Number = Self>>(x: L) -> L { x })* } }
stub!(f32);
stub!(f64);
