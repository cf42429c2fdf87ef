//! The instruction sets that the evaluators are compiled for, and how one of them is chosen at run time.

/// An instruction set that the evaluators are compiled for. All give the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InstructionSet {
    /// Instructions that every processor of the platform has.
    Portable,
    /// x86-64 with AVX2, FMA and the bit operations of the same time: vectors of 256 bits.
    Avx2,
    /// x86-64 with AVX-512 (F, BW, DQ, VL): vectors of 512 bits.
    Avx512,
}

impl InstructionSet {
    /// Every instruction set.
    pub const ALL: [InstructionSet; 3] = [
        InstructionSet::Portable,
        InstructionSet::Avx2,
        InstructionSet::Avx512,
    ];

    /// True if this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            InstructionSet::Portable => true,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("fma")
                    && std::arch::is_x86_feature_detected!("bmi1")
                    && std::arch::is_x86_feature_detected!("bmi2")
                    && std::arch::is_x86_feature_detected!("popcnt")
                    && std::arch::is_x86_feature_detected!("lzcnt")
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => {
                InstructionSet::Avx2.is_available()
                    && std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 | InstructionSet::Avx512 => false,
        }
    }

    /// The best one that this processor has.
    pub fn best() -> InstructionSet {
        let mut all = InstructionSet::ALL.into_iter().rev();
        all.find(|set| set.is_available())
            .unwrap_or(InstructionSet::Portable)
    }

    /// True if a fused multiply-add is one instruction, not a call of a function.
    pub(crate) fn has_fused(self) -> bool {
        match self {
            InstructionSet::Portable => cfg!(any(target_arch = "aarch64", target_feature = "fma")),
            InstructionSet::Avx2 | InstructionSet::Avx512 => true,
        }
    }

    /// Its name: `portable`, `avx2` or `avx512`.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Portable => "portable",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
        }
    }
}

/// A value for each instruction set that code is compiled for.
pub(crate) struct PerSet<T> {
    pub(crate) portable: T,
    #[cfg(target_arch = "x86_64")]
    pub(crate) avx2: T,
    #[cfg(target_arch = "x86_64")]
    pub(crate) avx512: T,
}

impl<T> PerSet<T> {
    /// The one for this instruction set, which the processor has.
    ///
    /// # Panics
    /// If it does not have it.
    pub(crate) fn get(&self, set: InstructionSet) -> &T {
        assert!(set.is_available(), "the processor lacks {}", set.name());
        match set {
            InstructionSet::Portable => &self.portable,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => &self.avx2,
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => &self.avx512,
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 | InstructionSet::Avx512 => {
                unreachable!("no other processor has it")
            }
        }
    }
}

/// Settings of evaluators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The instructions that are used; the processor must have them.
    pub instructions: InstructionSet,
    /// True if long work may run in machine code, on processors for which it can be generated.
    pub machine_code: bool,
}

impl Default for Settings {
    /// The fastest that this processor has.
    fn default() -> Self {
        Settings {
            instructions: InstructionSet::best(),
            machine_code: true,
        }
    }
}

impl Settings {
    /// # Panics
    /// If the processor lacks the instructions.
    pub(crate) fn check(self) {
        assert!(
            self.instructions.is_available(),
            "this processor has no {} instructions; Settings::default() selects those that it has",
            self.instructions.name()
        );
    }
}

/// Declares a function that is compiled once for each instruction set, and dispatches at run time.
///
/// `dispatched! { pub(crate) fn name<T: Float>(set: InstructionSet; a: A, b: B) -> C = body; }` makes `name(set, a, b)`
/// out of `body(a, b)`, which has to be `#[inline(always)]` like all that it calls in its loops.
macro_rules! dispatched {
    ($(#[$about:meta])* $visible:vis fn $name:ident<$($number:ident: $bound:path)?>($set:ident; $($argument:ident: $type:ty),*) $(-> $result:ty)? = $body:path;) => {
        $(#[$about])*
        #[expect(unsafe_code, reason = "a processor is asked before its instructions are used")]
        $visible fn $name<$($number: $bound)?>($set: $crate::cpu::InstructionSet, $($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
            fn avx512<$($number: $bound)?>($($argument: $type),*) $(-> $result)? {
                $body($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")]
            fn avx2<$($number: $bound)?>($($argument: $type),*) $(-> $result)? {
                $body($($argument),*)
            }
            debug_assert!($set.is_available(), "the processor has {}", $set.name());
            match $set {
                $crate::cpu::InstructionSet::Portable => $body($($argument),*),
                // SAFETY: settings with a set that the processor lacks are refused where evaluators are made.
                #[cfg(target_arch = "x86_64")]
                $crate::cpu::InstructionSet::Avx512 => unsafe { avx512($($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                $crate::cpu::InstructionSet::Avx2 => unsafe { avx2($($argument),*) },
                #[cfg(not(target_arch = "x86_64"))]
                $crate::cpu::InstructionSet::Avx2 | $crate::cpu::InstructionSet::Avx512 => {
                    unreachable!("settings with a set that the processor lacks are refused")
                }
            }
        }
    };
}

pub(crate) use dispatched;
